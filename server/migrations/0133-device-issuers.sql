-- A row is an authority that issues certificates of devices of the workspace (decision 115).
create table device_issuers (
  workspace_id uuid not null references workspaces (id) on delete cascade,
  id uuid not null,
  name text not null,
  -- In DER.
  certificate bytea not null,
  subject text not null,
  -- SHA-256 of its public key (SubjectPublicKeyInfo in DER).
  key_hash bytea not null,
  not_before timestamptz(3) not null,
  not_after timestamptz(3) not null,
  -- Where the id of the device stands in a certificate, and what stands around it there.
  device_id_field text not null check (device_id_field in ('CommonName', 'DnsName', 'Uri')),
  device_id_prefix text not null,
  device_id_suffix text not null,
  -- The certificate revocation list; null: none was uploaded.
  crl_number numeric(60),
  crl_this_update timestamptz(3),
  crl_next_update timestamptz(3),
  -- Whether its certificates are accepted after the list has ended, when it is unknown which were revoked since.
  accepts_after_crl_end boolean not null default false,
  created_at timestamptz(3) not null,
  created_by_email text,
  updated_at timestamptz(3) not null,
  primary key (workspace_id, id),
  unique (workspace_id, key_hash),
  check ((crl_this_update is null) = (crl_next_update is null))
);

-- A row says which workspace an authority's key belongs to: no other one can trust it. It is global, so that this holds for all workspaces.
create table device_issuer_keys (
  key_hash bytea primary key,
  workspace_id uuid not null references workspaces (id) on delete cascade
);

-- A row is a certificate that is refused, whether it was seen or not. Rows of a revocation list are replaced by the next one.
create table device_revocations (
  workspace_id uuid not null,
  issuer_id uuid not null,
  -- Hexadecimal, without leading zeros.
  serial text collate "C" not null,
  -- Whether the authority's list has it, rather than somebody of the team.
  is_listed boolean not null,
  revoked_at timestamptz(3) not null,
  revoked_by_email text,
  primary key (workspace_id, issuer_id, serial, is_listed),
  foreign key (workspace_id, issuer_id) references device_issuers (workspace_id, id) on delete cascade
);

-- Of a certificate, which was seen first at `created_at`. Its `key_hash` is the SHA-256 of the certificate.
alter table device_keys
  add column issuer_id uuid,
  add column serial text collate "C",
  add column expires_at timestamptz(3),
  add constraint device_keys_issuer foreign key (workspace_id, issuer_id)
    references device_issuers (workspace_id, id) on delete cascade,
  add constraint device_keys_certificate
    check ((issuer_id is null) = (serial is null) and (issuer_id is null) = (expires_at is null));
create index device_keys_serial on device_keys (workspace_id, issuer_id, serial) where issuer_id is not null;
