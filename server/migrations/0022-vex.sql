-- A row is a VEX document about a firmware version as it was received, also one within an SBOM. `Build` is what the build of the
-- firmware knew: patches, and CVEs that do not apply.
create table vex_documents (
  workspace_id uuid not null,
  firmware_version_id uuid not null,
  id uuid not null,
  -- The SBOM it stands in; null: it was imported.
  sbom_id uuid,
  format text not null check (format in ('OpenVex', 'CycloneDx', 'Csaf', 'Spdx3', 'Build')),
  spec_version text,
  -- What it calls itself; a later document of that name takes its place.
  document_id text,
  author text,
  stated_at timestamptz(3),
  received_at timestamptz(3) not null,
  received_by_email text,
  -- All but its statements, to the letter.
  envelope json not null,
  primary key (workspace_id, id),
  foreign key (workspace_id, firmware_version_id) references firmware_versions (workspace_id, id) on delete cascade,
  foreign key (workspace_id, sbom_id) references sboms (workspace_id, id) on delete cascade
);
create index vex_documents_version on vex_documents (workspace_id, firmware_version_id);
create index vex_documents_sbom on vex_documents (workspace_id, sbom_id) where sbom_id is not null;

-- A row is a statement of a VEX document: these products, this vulnerability, this status.
create table vex_statements (
  workspace_id uuid not null,
  firmware_version_id uuid not null,
  -- Made of what it says, so that the same statement received again is the same row.
  id uuid not null,
  document_id uuid not null,
  pointer text not null,
  -- The id it names, and others it says are the same.
  vulnerability text collate "C" not null,
  aliases text[] not null,
  products json not null,
  -- In an SBOM: the components it names there; null: it has to be found out by what `products` says.
  nodes integer[],
  -- In an SBOM: it names what that SBOM describes.
  is_whole boolean not null default false,
  -- `Build`: it counts only where no VEX document speaks of the finding.
  origin text not null default 'Document' check (origin in ('Document', 'Build')),
  assessment text not null check (assessment in
    ('InTriage', 'Exploitable', 'NotAffected', 'FalsePositive', 'Resolved')),
  justification text,
  detail text,
  responses text[] not null,
  -- When it was made, else when it was received.
  stated_at timestamptz(3) not null,
  received_at timestamptz(3) not null,
  -- To the letter.
  original json not null,
  primary key (workspace_id, id),
  foreign key (workspace_id, document_id) references vex_documents (workspace_id, id) on delete cascade,
  foreign key (workspace_id, firmware_version_id) references firmware_versions (workspace_id, id) on delete cascade
);
create index vex_statements_version on vex_statements (workspace_id, firmware_version_id);
create index vex_statements_document on vex_statements (workspace_id, document_id);

-- A row is what a statement is about in its firmware version, by one id of the vulnerability. It is made anew with the inventory.
create table vex_statement_targets (
  workspace_id uuid not null,
  firmware_version_id uuid not null,
  statement_id uuid not null,
  vulnerability text collate "C" not null,
  place integer not null,
  -- The package; else all of the SBOM; else all of the firmware version.
  package_id uuid,
  sbom_id uuid,
  primary key (workspace_id, statement_id, vulnerability, place),
  foreign key (workspace_id, statement_id) references vex_statements (workspace_id, id) on delete cascade,
  foreign key (workspace_id, sbom_id) references sboms (workspace_id, id) on delete cascade
);
create index vex_statement_targets_version
  on vex_statement_targets (workspace_id, firmware_version_id, vulnerability);
create index vex_statement_targets_vulnerability on vex_statement_targets (vulnerability, workspace_id);
create index vex_statement_targets_sbom on vex_statement_targets (workspace_id, sbom_id) where sbom_id is not null;
