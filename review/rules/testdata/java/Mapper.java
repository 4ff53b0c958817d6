package x;

import java.time.LocalDateTime;
import org.apache.ibatis.annotations.Mapper;
import org.apache.ibatis.annotations.Param;
import org.apache.ibatis.annotations.Update;
import org.springframework.stereotype.Service;

@Mapper
interface SlotMapper {
  @Update("UPDATE slot SET guide = #{me}, leaves = #{leaves} WHERE id = #{id} AND (guide IS NULL OR leaves < #{now})")
  int take(@Param("id") long id, @Param("me") String me, @Param("leaves") LocalDateTime leaves, @Param("now") LocalDateTime now);

  @Update("UPDATE slot SET guide = NULL WHERE id = #{id}") // want 1
  int free(@Param("id") long id);
}

@Service
class Slots {
  private final SlotMapper mapper;
  Slots(SlotMapper mapper) { this.mapper = mapper; }

  boolean take(long id, String me) {
    LocalDateTime now = LocalDateTime.now();
    return mapper.take(id, me, now.plusMinutes(5), now) == 1; // want 6
  }
}
