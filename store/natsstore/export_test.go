package natsstore

// BeforeWrite calls f when the step of a name is about to be written.
func (s *Store) BeforeWrite(f func(name string)) { s.beforeWrite = f }
