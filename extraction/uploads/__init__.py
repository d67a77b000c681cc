"""Files that people bring: kept until they are read in, looked through first, then captured."""
