-- A row is a public key or a certificate that the workspace trusts to sign images (decision 114).
create table trusted_keys (
  workspace_id uuid not null references workspaces (id) on delete cascade,
  id uuid not null,
  name text not null,
  -- What it signs, in words; null: nobody said.
  purpose text,
  kind text not null check (kind in ('PublicKey', 'Certificate')),
  -- A SubjectPublicKeyInfo or a certificate.
  pem text not null,
  -- SHA-256 of the SubjectPublicKeyInfo in DER, in hexadecimal.
  fingerprint text collate "C" not null,
  -- SHA-256 of what is in the PEM.
  digest text collate "C" not null,
  algorithm text not null,
  -- As minisign prints it; null: the key does not come from minisign.
  minisign_key_id text,
  -- Of a certificate.
  subject text,
  begins_at timestamptz(3),
  ends_at timestamptz(3),
  created_at timestamptz(3) not null,
  created_by_email text,
  updated_at timestamptz(3) not null,
  primary key (workspace_id, id),
  unique (workspace_id, digest),
  unique (workspace_id, name),
  check ((kind = 'Certificate') = (subject is not null)),
  check ((kind = 'Certificate') = (ends_at is not null)),
  check ((kind = 'Certificate') = (begins_at is not null))
);

-- A row is what was read of the bytes of an artifact: what the image states and how it is signed, whoever is trusted. What follows
-- from that with the keys that are trusted now is computed when it is asked for.
create table image_facts (
  workspace_id uuid not null,
  firmware_version_id uuid not null,
  blob_id uuid not null,
  examiner_version integer not null,
  facts jsonb not null,
  -- None of the keys at hand made one of its signatures: a key that is added later may have.
  awaits_key boolean not null,
  examined_at timestamptz(3) not null,
  primary key (workspace_id, firmware_version_id, blob_id),
  foreign key (workspace_id, firmware_version_id) references firmware_versions (workspace_id, id) on delete cascade
);
create index image_facts_awaiting on image_facts (workspace_id) where awaits_key;
