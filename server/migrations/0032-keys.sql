-- When a signing key begins to sign, and from when on nothing signed with it is accepted. null: at once; never.
alter table secrets add column begins_at timestamptz(3), add column ends_at timestamptz(3);

-- The key with which the node encrypts new secrets. null: it does not.
alter table nodes add column encryption_key_id text;
