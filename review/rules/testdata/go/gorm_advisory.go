package testdata

import "gorm.io/gorm"

func Drain(db *gorm.DB, n int, work func() error) error {
	conn := db.Session(&gorm.Session{})
	var got bool
	if err := conn.Raw("SELECT pg_try_advisory_lock(?)", n).Scan(&got).Error; err != nil { // want 13
		return err
	}
	if !got {
		return nil
	}
	defer conn.Exec("SELECT pg_advisory_unlock(?)", n) // want 10
	return work()
}
