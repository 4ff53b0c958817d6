package gormlease

import (
	"time"

	"gorm.io/gorm"
)

type JobLock struct {
	Name      string `gorm:"primaryKey"`
	Owner     string
	ExpiresAt time.Time
}

func Acquire(db *gorm.DB, name, owner string, ttl time.Duration) (bool, error) {
	var l JobLock
	err := db.First(&l, "name = ?", name).Error
	if err == nil && time.Now().Before(l.ExpiresAt) { // want 6
		return false, nil
	}
	l = JobLock{Name: name, Owner: owner, ExpiresAt: time.Now().Add(ttl)} // want 6
	return true, db.Save(&l).Error                                        // want 3
}

func Release(db *gorm.DB, name string) error {
	return db.Where("name = ?", name).Delete(&JobLock{}).Error // want 1
}
