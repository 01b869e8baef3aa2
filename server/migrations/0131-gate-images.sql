-- What the release gate demands of the images of a version: nothing, or some of these.
alter table workspaces add column gate_images text[] not null default '{}'
  check (gate_images <@ array['Signed', 'NoTestKey', 'NamedVersion', 'CounterNotLower']);
