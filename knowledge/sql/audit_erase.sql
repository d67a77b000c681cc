-- Empty the payloads of these events, for an erasure of this very transaction, and count them.
-- The chain holds commitments alone, so it stays whole; the guard of the table demands the decision.
CREATE OR REPLACE FUNCTION audit_erase(p_payloads uuid[]) RETURNS bigint
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
DECLARE
    emptied bigint;
BEGIN
    UPDATE knowledge_auditpayload SET body = NULL, salt = NULL, erased_at = clock_timestamp()
    WHERE id = ANY (p_payloads) AND erased_at IS NULL;
    GET DIAGNOSTICS emptied = ROW_COUNT;
    RETURN emptied;
END $$;
