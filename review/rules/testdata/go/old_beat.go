package testdata

import (
	"errors"
	"time"

	"gorm.io/gorm"
)

type ImportSlot struct {
	Name   string `gorm:"primaryKey"`
	Holder string
	Beat   time.Time
}

func Occupy(db *gorm.DB, name, me string) error {
	var slot ImportSlot
	err := db.Where("name = ?", name).First(&slot).Error
	if err == nil && time.Since(slot.Beat) < 5*time.Minute { // want 6
		return errors.New("busy")
	}
	slot.Name, slot.Holder, slot.Beat = name, me, time.Now() // want 6
	return db.Save(&slot).Error                              // want 3
}

func Leave(db *gorm.DB, name, me string) error {
	res := db.Where("name = ? AND holder = ?", name, me).Delete(&ImportSlot{})
	if res.Error == nil && res.RowsAffected == 0 {
		return errors.New("taken over")
	}
	return res.Error
}
