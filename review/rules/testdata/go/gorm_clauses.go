package testdata

import (
	"context"
	"errors"
	"time"

	"gorm.io/gorm"
	"gorm.io/gorm/clause"
)

// GateLatch is there while somebody is behind the gate.
type GateLatch struct {
	Gate    string `gorm:"primaryKey"`
	Porter  string
	Started time.Time
}

type Parcel struct {
	ID       uint
	State    string
	LockedBy string
	LockedAt *time.Time
}

func shut(ctx context.Context, db *gorm.DB, gate, porter string) error {
	latch := GateLatch{Gate: gate, Porter: porter}
	res := db.WithContext(ctx).Clauses(clause.OnConflict{DoNothing: true}).Create(&latch) // want 3
	if res.Error == nil && res.RowsAffected == 0 {
		return errors.New("somebody is behind the gate")
	}
	return res.Error
}

func open(ctx context.Context, db *gorm.DB, gate string) error {
	return db.WithContext(ctx).Where("gate = ?", gate).Delete(&GateLatch{}).Error // want 1
}

func Walk(ctx context.Context, db *gorm.DB, gate string, walk func() error) (err error) {
	if err := shut(ctx, db, gate, "me"); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, open(context.WithoutCancel(ctx), db, gate)) }()
	return walk()
}

// The row is locked as it is read: nobody else reads it before the commit.
func pick(db *gorm.DB, porter string) (*Parcel, error) {
	var p Parcel
	err := db.Transaction(func(tx *gorm.DB) error {
		lock := clause.Locking{Strength: "UPDATE", Options: "SKIP LOCKED"}
		if err := tx.Clauses(lock).Where("state = ?", "ready").First(&p).Error; err != nil {
			return err
		}
		at := tx.NowFunc()
		p.State, p.LockedBy, p.LockedAt = "taken", porter, &at
		return tx.Save(&p).Error
	})
	return &p, err
}

func done(db *gorm.DB, p *Parcel) error {
	res := db.Model(&Parcel{}).Where("id = ? AND state = ?", p.ID, "taken").
		Updates(map[string]any{"state": "done", "locked_by": "", "locked_at": nil})
	if res.Error == nil && res.RowsAffected == 0 {
		return errors.New("somebody else has it")
	}
	return res.Error
}
