-- What cards did in each quarter of an hour, from their minutes: two weeks of many cards are read at once for the
-- calendar. Each row can be worked out again from `card_minute` at any time.

create table card_quarter (
    -- Counted from 1970: whole numbers are grouped into steps in a fraction of the time that instants take.
    quarter         integer not null,
    card_no         integer not null constraint card_quarter_card_exists references card (card_no) on delete cascade,
    watched_ms      integer not null,
    busy_ms         integer not null,
    utilisation_n   integer not null,
    utilisation_sum integer not null,
    primary key (card_no, quarter)
);
-- Rows come nearly in the order of their time.
create index card_quarter_by_time on card_quarter using brin (quarter);

insert into card_quarter (quarter, card_no, watched_ms, busy_ms, utilisation_n, utilisation_sum)
select floor(extract(epoch from minute) / 900)::int as quarter, card_no, sum(watched_ms), sum(busy_ms), sum(utilisation_n),
       sum(utilisation_sum)
from card_minute
-- Longer than any calendar reaches back from where somebody is likely to look.
where minute > now() - interval '60 days'
group by quarter, card_no
order by quarter, card_no;
