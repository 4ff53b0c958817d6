package q

import (
	"context"

	"gorm.io/gorm"
	"gorm.io/gorm/clause"
)

type Task struct {
	ID       int
	Status   string
	LockedBy string
	LockedAt string
}

func due(tx *gorm.DB) *gorm.DB {
	return tx.Clauses(clause.Locking{Strength: clause.LockingStrengthUpdate, Options: clause.LockingOptionsSkipLocked}).Where("status = ?", "ready")
}

func take(ctx context.Context, db *gorm.DB, me string) (tasks []Task, err error) {
	err = db.Transaction(func(tx *gorm.DB) error {
		if err := due(tx).Limit(5).Find(&tasks).Error; err != nil || len(tasks) == 0 {
			return err
		}
		return tx.Model(&Task{}).Where("id IN ?", ids(tasks)).Updates(map[string]any{"status": "running", "locked_by": me, "locked_at": gorm.Expr("now()")}).Error
	})
	return tasks, err
}
func ids(t []Task) []int { return nil }

func finish(db *gorm.DB, id int, me string) (bool, error) {
	res := db.Model(&Task{}).Where("id = ? AND locked_by = ?", id, me).Updates(map[string]any{"status": "done", "locked_by": ""})
	return res.RowsAffected == 1, res.Error
}
