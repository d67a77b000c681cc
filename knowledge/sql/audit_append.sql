-- Append one event to the chain of a ledger, and return its seq.
-- Locks the ledger row without rewriting it, reads the tail by key, appends last.
-- Hashes microseconds since the epoch and explicit UTF-8 bytes, so that neither the session's
-- time zone nor its encoding matters.
CREATE OR REPLACE FUNCTION audit_commitment(p_salt bytea, p_body jsonb) RETURNS bytea
LANGUAGE sql IMMUTABLE AS $$ SELECT sha256(p_salt || convert_to(p_body::text, 'UTF8')) $$;

CREATE OR REPLACE FUNCTION audit_hash(e knowledge_auditevent) RETURNS bytea
LANGUAGE sql IMMUTABLE AS $$
    SELECT sha256(e.prev_hash || convert_to(jsonb_build_array(
        e.hash_version, e.ledger_id, e.seq, (extract(epoch FROM e.at) * 1000000)::bigint,
        e.actor_kind, e.actor_id, e.channel, e.action, e.outcome, e.object_type, e.object_id,
        e.subject_id, e.decision_id, e.request_id, e.reason_code, e.payload_id,
        encode(e.commitment, 'hex'))::text, 'UTF8'))
$$;

CREATE OR REPLACE FUNCTION audit_append(
    p_space bigint, p_actor_kind text, p_actor_id text, p_channel text, p_action text,
    p_outcome text, p_object_type text, p_object_id text, p_subject bigint, p_decision uuid,
    p_request_id text, p_reason_code text, p_body jsonb
) RETURNS bigint
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
DECLARE
    chain record;
    tail record;
    e knowledge_auditevent;
    salt bytea;
BEGIN
    SELECT l.id, l.genesis INTO chain FROM knowledge_ledger l
    WHERE l.space_id IS NOT DISTINCT FROM p_space FOR NO KEY UPDATE;
    IF NOT FOUND THEN
        RAISE EXCEPTION 'there is no ledger for space %', p_space USING ERRCODE = 'MW001';
    END IF;
    SELECT t.seq, t.hash, t.at INTO tail FROM knowledge_auditevent t
    WHERE t.ledger_id = chain.id ORDER BY t.seq DESC LIMIT 1;
    e.ledger_id := chain.id;
    e.seq := coalesce(tail.seq, 0) + 1;
    e.hash_version := 1;
    e.at := greatest(clock_timestamp(), tail.at + interval '1 microsecond');
    e.actor_kind := p_actor_kind;
    e.actor_id := p_actor_id;
    e.channel := p_channel;
    e.action := p_action;
    e.outcome := p_outcome;
    e.object_type := p_object_type;
    e.object_id := p_object_id;
    e.subject_id := p_subject;
    e.decision_id := p_decision;
    e.request_id := p_request_id;
    e.reason_code := p_reason_code;
    e.prev_hash := coalesce(tail.hash, chain.genesis);
    IF p_body IS NOT NULL THEN
        salt := uuid_send(gen_random_uuid()) || uuid_send(gen_random_uuid());
        e.payload_id := gen_random_uuid();
        e.commitment := audit_commitment(salt, p_body);
        INSERT INTO knowledge_auditpayload (id, space_id, salt, body)
        VALUES (e.payload_id, p_space, salt, p_body);
    END IF;
    e.hash := audit_hash(e);
    e.id := nextval(pg_get_serial_sequence('knowledge_auditevent', 'id'));
    INSERT INTO knowledge_auditevent SELECT (e).*;
    RETURN e.seq;
END $$;
