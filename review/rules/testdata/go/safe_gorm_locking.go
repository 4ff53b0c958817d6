package q

import (
	"context"

	"gorm.io/gorm"
	"gorm.io/gorm/clause"
)

type Parcel struct {
	ID       int
	State    string
	Tries    int
	LockedBy string
	LockedAt string
}

// take locks the rows that it reads until the commit.
func take(ctx context.Context, db *gorm.DB, depot, me string) (parcels []Parcel, err error) {
	err = db.WithContext(ctx).Transaction(func(tx *gorm.DB) error {
		q := tx.Clauses(clause.Locking{Strength: clause.LockingStrengthUpdate, Options: clause.LockingOptionsSkipLocked}).
			Where("depot = ? AND state = 'waiting' AND due <= now()", depot).
			Limit(9)
		if err := q.Find(&parcels).Error; err != nil || len(parcels) == 0 {
			return err
		}
		list := make([]int, len(parcels))
		for i := range parcels {
			list[i] = parcels[i].ID
		}
		return tx.Model(&Parcel{}).Where("id IN ?", list).Updates(map[string]any{
			"state": "running", "locked_by": me, "locked_at": gorm.Expr("now()"), "tries": gorm.Expr("tries + 1"),
		}).Error
	})
	return parcels, err
}

func done(ctx context.Context, db *gorm.DB, p Parcel, me string) (bool, error) {
	res := db.WithContext(ctx).Model(&Parcel{}).
		Where("id = ? AND tries = ? AND locked_by = ? AND state = 'running'", p.ID, p.Tries, me).
		Updates(map[string]any{"state": "sorted", "locked_by": ""})
	return res.RowsAffected == 1, res.Error
}
