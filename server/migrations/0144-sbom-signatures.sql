-- A row is what was read of the signatures of an SBOM, whoever is trusted (decision 120). What follows from that with the keys that are
-- trusted now is computed when it is asked for.
create table sbom_signature_facts (
  workspace_id uuid not null,
  sbom_id uuid not null,
  examiner_version integer not null,
  facts jsonb not null,
  -- None of the keys at hand made one of its signatures: a key that is added later may have.
  awaits_key boolean not null,
  examined_at timestamptz(3) not null,
  primary key (workspace_id, sbom_id),
  foreign key (workspace_id, sbom_id) references sboms (workspace_id, id) on delete cascade
);
create index sbom_signature_facts_awaiting on sbom_signature_facts (workspace_id) where awaits_key;

-- A row is a signature that stands beside an SBOM: of minisign, of cosign, made by openssl, or a DSSE envelope.
create table sbom_signatures (
  workspace_id uuid not null,
  sbom_id uuid not null,
  id uuid not null,
  file_name text not null,
  content text not null,
  created_at timestamptz(3) not null,
  created_by_email text,
  primary key (workspace_id, id),
  unique (workspace_id, sbom_id, id),
  foreign key (workspace_id, sbom_id) references sboms (workspace_id, id) on delete cascade
);
