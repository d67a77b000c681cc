"""Pairs of invented statements on which the duplicate thresholds of embedders are measured."""

Pairs = tuple[tuple[str, str], ...]

# Plain rewordings of one fact.
PARAPHRASES: Pairs = (
    ("Ines lives in Porto.", "Ines has her home in Porto."),
    (
        "Ines works as a nurse at Santa Clara hospital.",
        "Ines is a nurse employed by Santa Clara hospital.",
    ),
    ("Ines is allergic to peanuts.", "Ines has a peanut allergy."),
    ("Ines prefers tea to coffee.", "Ines likes tea better than coffee."),
    ("Tomas plays the cello.", "Tomas is a cello player."),
    ("Tomas always uses pnpm for new projects.", "For new projects Tomas always uses pnpm."),
    ("The team deploys on Tuesdays.", "Deployments happen on Tuesdays for the team."),
    ("Ines has two daughters.", "Ines is the mother of two girls."),
    ("Tomas is learning Japanese.", "Tomas studies the Japanese language."),
    ("Ines does not eat meat.", "Ines never eats meat."),
    ("Heron stores its data in PostgreSQL.", "Heron's data lives in a PostgreSQL database."),
    ("Tomas wakes up at 6 every morning.", "Tomas gets up at 6 each morning."),
    ("Ines drives an electric car.", "Ines owns and drives an electric vehicle."),
    ("Ines wants to run a marathon next year.", "Ines aims to run a marathon next year."),
    ("Tomas moved to Lyon in March 2024.", "In March 2024 Tomas relocated to Lyon."),
    ("Ines is afraid of flying.", "Ines has a fear of flying."),
    ("The project's budget is 40,000 euros.", "The budget of the project amounts to 40,000 euros."),
    ("Ines's brother lives in Canada.", "Ines has a brother who lives in Canada."),
    ("Tomas wrote the billing service in Rust.", "Tomas built the billing service in Rust."),
    ("Ines takes medication for asthma.", "Ines is on asthma medication."),
    ("Ines spielt gern Klavier.", "Ines spielt mit Freude Klavier."),
    ("A Ines le gusta cocinar arroz.", "Ines disfruta cocinando arroz."),
    ("Tomas met his wife at university.", "Tomas and his wife first met at university."),
    ("Ines sold her motorbike.", "Ines has sold her motorcycle."),
)

# The same fact in quite other words.
FREE_PARAPHRASES: Pairs = (
    ("Ines is a vegetarian.", "Ines does not eat meat or fish."),
    ("Tomas can't stand loud offices.", "Tomas finds noisy workplaces unbearable."),
    (
        "Ines started at Santa Clara hospital in 2021.",
        "Ines has worked at Santa Clara hospital since 2021.",
    ),
    (
        "Tomas goes climbing on Thursday evenings.",
        "Every Thursday night Tomas is at the climbing gym.",
    ),
    ("Ines takes the train to work.", "Ines commutes by rail."),
    ("All code needs two reviews before merging.", "Nothing is merged without two approvals."),
    (
        "Ines grew up in a small village near Braga.",
        "Ines spent her childhood in a little village close to Braga.",
    ),
    ("Tomas is saving for a sailing boat.", "Tomas puts money aside to buy a sailing boat."),
    ("Ines wants short answers.", "Ines prefers replies to be brief."),
    ("Tomas got a dog called Biscuit.", "Tomas has a dog named Biscuit."),
    ("Heron must not store card numbers.", "Card numbers are never to be stored in Heron."),
    ("Ines works night shifts.", "Ines works at night."),
)

# One number differs: an update, never a repeat.
OTHER_NUMBER: Pairs = (
    ("Ines has two daughters.", "Ines has three daughters."),
    ("Tomas wakes up at 6 every morning.", "Tomas wakes up at 7 every morning."),
    ("The project's budget is 40,000 euros.", "The project's budget is 45,000 euros."),
    ("Tomas moved to Lyon in March 2024.", "Tomas moved to Lyon in March 2023."),
    ("Ines is 34 years old.", "Ines is 35 years old."),
    ("The API times out after 30 seconds.", "The API times out after 60 seconds."),
    ("Ines runs 5 km a day.", "Ines runs 15 km a day."),
    ("The release is planned for 12 May.", "The release is planned for 19 May."),
    ("Heron has 4 engineers.", "Heron has 9 engineers."),
    ("Rent is 900 euros a month.", "Rent is 1,150 euros a month."),
    ("Ines's flight leaves at 14:20.", "Ines's flight leaves at 16:40."),
    ("The test suite takes 8 minutes.", "The test suite takes 80 minutes."),
)

# One of the two is negated.
NEGATED: Pairs = (
    ("Ines eats meat.", "Ines does not eat meat."),
    ("Tomas likes remote work.", "Tomas does not like remote work."),
    ("Ines is allergic to peanuts.", "Ines is not allergic to peanuts."),
    ("The team deploys on Fridays.", "The team never deploys on Fridays."),
    ("Ines speaks German.", "Ines does not speak German."),
    ("Tomas drinks alcohol.", "Tomas no longer drinks alcohol."),
    ("Heron supports dark mode.", "Heron does not support dark mode."),
    ("Ines owns a car.", "Ines does not own a car."),
    ("Tomas wants notifications.", "Tomas does not want notifications."),
    ("Ines loves cilantro.", "Ines hates cilantro."),
    ("A Ines le gusta el pescado.", "A Ines no le gusta el pescado."),
    ("Ines trinkt Kaffee.", "Ines trinkt keinen Kaffee."),
)

# One named value, or who does what, differs.
OTHER_VALUE: Pairs = (
    ("Ines lives in Porto.", "Ines lives in Lisbon."),
    (
        "Ines works as a nurse at Santa Clara hospital.",
        "Ines works as a nurse at Riverside hospital.",
    ),
    ("Tomas plays the cello.", "Tomas plays the violin."),
    ("Tomas always uses pnpm for new projects.", "Tomas always uses yarn for new projects."),
    ("Heron stores its data in PostgreSQL.", "Heron stores its data in MySQL."),
    ("The team deploys on Tuesdays.", "The team deploys on Thursdays."),
    ("Ines's brother lives in Canada.", "Ines's sister lives in Canada."),
    ("Tomas is learning Japanese.", "Tomas is learning Korean."),
    ("Ines prefers tea to coffee.", "Ines prefers coffee to tea."),
    ("Tomas lives in Lyon.", "Ines lives in Lyon."),
    ("Ines's favourite colour is green.", "Ines's favourite colour is blue."),
    ("Tomas drives a Volvo.", "Tomas drives a Fiat."),
)

# Two facts about one topic.
SAME_TOPIC: Pairs = (
    ("Ines likes hiking.", "Ines went hiking in the Alps in May."),
    ("Tomas plays the cello.", "Tomas's cello teacher is called Mr Brandt."),
    ("Ines lives in Porto.", "Ines was born in Porto."),
    ("Tomas works on Heron.", "Tomas started Heron in 2023."),
    ("Ines has two daughters.", "Ines's daughters go to a Montessori school."),
    ("The team deploys on Tuesdays.", "The team meets on Tuesdays."),
    (
        "Ines is allergic to peanuts.",
        "Ines carries an adrenaline pen because of her peanut allergy.",
    ),
    ("Heron stores its data in PostgreSQL.", "Heron runs PostgreSQL 16 with pgvector."),
    ("Tomas likes strong coffee.", "Tomas bought a new coffee machine."),
    ("Ines works as a nurse.", "Ines wants to become a midwife."),
    ("Tomas moved to Lyon.", "Tomas is looking for a flat in Lyon."),
    ("Ines is learning to drive.", "Ines failed her first driving test."),
    ("Tomas speaks French.", "Tomas's wife speaks French."),
    ("Ines loves spicy food.", "Ines loves Thai food."),
    ("Ines's sister is a teacher.", "Ines's sister is getting married."),
    ("Tomas wants to buy a house.", "Tomas wants to buy a boat."),
)
