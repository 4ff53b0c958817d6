-- Declare whether marks count on after a promotion.
INSERT INTO ringfence.guard_site (trust_promotions) VALUES ($1)
ON CONFLICT (one) DO UPDATE SET trust_promotions = excluded.trust_promotions
