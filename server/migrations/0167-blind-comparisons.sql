-- Signals of a phase that are not worse, but in which even twice as much, or half as much, would have been missed.
alter table deployment_comparisons add column blind_to text[] not null default '{}';
