package cases

import (
	"context"
	"database/sql"
	"os/exec"
	"time"

	"github.com/nats-io/nats.go"
	"gorm.io/gorm"
)

// Coupon has a holder and an end, and is no lease: nobody takes it over.
type Coupon struct {
	Code   string `gorm:"primaryKey"`
	Holder string
	Until  time.Time
}

type shop struct {
	db  *gorm.DB
	raw *sql.DB
	bus *nats.Conn
}

func (s *shop) give(code, holder string) error {
	return s.db.Create(&Coupon{Code: code, Holder: holder, Until: time.Now().AddDate(0, 1, 0)}).Error
}

func (s *shop) spend(code string) error {
	return s.db.Where("code = ?", code).Delete(&Coupon{}).Error
}

func (s *shop) render(ctx context.Context, id string) error {
	if err := exec.CommandContext(ctx, "render", id).Run(); err != nil {
		return err
	}
	return s.bus.Publish("rendered", []byte(id))
}

func (s *shop) half(ctx context.Context, list []string) error {
	for _, id := range list[:len(list)/2] {
		if _, err := s.raw.ExecContext(ctx, "UPDATE items SET seen = true WHERE id = ?", id); err != nil {
			return err
		}
	}
	return nil
}
