-- Whether the version mends security alone, and brings nothing else (Annex I, part II, (2) of Regulation (EU) 2024/2847). null: nobody has said.
alter table firmware_versions add column security_only boolean;
