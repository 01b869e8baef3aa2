-- Of a body that was read as a stream: what a repetition must hold. null: the fingerprint has the body, or it was not read whole.
alter table idempotency_keys add column body_digest text collate "C";
