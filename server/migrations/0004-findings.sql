-- Findings are derived: firmware version x package x open match. Stored are the facts, with the times they held.

create table firmware_version_packages (
  workspace_id uuid not null,
  firmware_version_id uuid not null,
  package_id uuid not null references packages (id),
  since timestamptz(3) not null,
  until timestamptz(3),
  cause text not null,
  ended_cause text,
  -- What the package is called here: its source name, else its shortest member's name, with that member's texts.
  component_name text collate "C" not null,
  component_version text collate "C",
  component_vendor text,
  component_purl text,
  component_cpe text,
  primary key (workspace_id, firmware_version_id, package_id, since),
  foreign key (workspace_id, firmware_version_id) references firmware_versions (workspace_id, id) on delete cascade
);
create unique index firmware_version_packages_open
  on firmware_version_packages (workspace_id, firmware_version_id, package_id) where until is null;
create index firmware_version_packages_package on firmware_version_packages (package_id, workspace_id);

-- What people decided, on top of a derived finding.
create table finding_decisions (
  workspace_id uuid not null,
  firmware_version_id uuid not null,
  package_id uuid not null,
  vulnerability_id text collate "C" not null,
  assessment text not null default 'NotAssessed' check (assessment in
    ('NotAssessed', 'InTriage', 'Exploitable', 'NotAffected', 'FalsePositive', 'Resolved')),
  ignored boolean not null default false,
  updated_at timestamptz(3) not null,
  primary key (workspace_id, firmware_version_id, package_id, vulnerability_id),
  foreign key (workspace_id, firmware_version_id) references firmware_versions (workspace_id, id) on delete cascade
);
