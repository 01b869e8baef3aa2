-- Each standing address has a secret of its own, which outlives the signing key (decision 124). Those made before, by no release, were
-- signed by that key and cannot be computed here: they are made anew.
delete from artifact_addresses;
-- 32 random bytes, encrypted with the operator's key if there is one (decision 53).
alter table artifact_addresses add column secret bytea not null;
