-- A row is a key pair (Ed25519) with which the workspace signs evidence bundles (decision 108). One at a time signs. The public keys of former
-- ones stay, so that their bundles can be told from others.
create table evidence_keys (
  workspace_id uuid not null references workspaces (id) on delete cascade,
  id uuid not null,
  -- SubjectPublicKeyInfo in PEM.
  public_key text not null,
  -- SHA-256 of the same in DER.
  fingerprint text not null,
  -- The seed, encrypted as other secrets are (decision 53); null: the key signs no more.
  secret bytea,
  created_at timestamptz(3) not null,
  retired_at timestamptz(3),
  primary key (workspace_id, id),
  check ((secret is null) = (retired_at is not null))
);
create unique index evidence_keys_current on evidence_keys (workspace_id) where retired_at is null;
