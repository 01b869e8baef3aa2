-- A row is a product line as Regulation (EU) 2024/2847 sees it: what a manufacturer places on the market under one name (decision 96).
create table product_lines (
  workspace_id uuid not null references workspaces (id) on delete cascade,
  id uuid not null,
  name text not null,
  manufacturer text not null,
  role text not null check (role in ('Manufacturer', 'Steward')),
  product_class text not null check (product_class in ('Default', 'ImportantI', 'ImportantII', 'Critical')),
  category text,
  -- Where it was made available, as far as the manufacturer knows: codes of ISO 3166.
  member_states text[] not null,
  -- That of the CSIRT designated as coordinator; null: nobody has said.
  coordinator_state text,
  -- Days and months of reports end in UTC or here; the earlier counts.
  time_zone text not null,
  first_placed_on date,
  -- YYYY-MM.
  support_ends_in text,
  expected_use_years integer,
  expected_use_reason text,
  contact text,
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  primary key (workspace_id, id)
);
create unique index product_lines_name on product_lines (workspace_id, lower(name));

-- A row says that the firmware is of the product line. A firmware is in one at most.
create table product_line_firmwares (
  workspace_id uuid not null,
  firmware_id uuid not null,
  product_line_id uuid not null,
  primary key (workspace_id, firmware_id),
  foreign key (workspace_id, product_line_id) references product_lines (workspace_id, id) on delete cascade,
  foreign key (workspace_id, firmware_id) references firmwares (workspace_id, id) on delete cascade
);
create index product_line_firmwares_line on product_line_firmwares (workspace_id, product_line_id);
