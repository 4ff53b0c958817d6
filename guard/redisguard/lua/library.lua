-- Offers the steps as functions, to any language that can send FCALL.
redis.register_function('ringfence_admit', admit_step)
redis.register_function('ringfence_admit_fresh', admit_fresh_step)
redis.register_function('ringfence_establish', establish_step)
