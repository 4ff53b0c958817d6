-- Takes the step of each record from KEYS[3] on. ARGV: weak, and for each step its kind, the name and three words more. The
-- answers are texts of words, in a list where there are several. A record is written last, so a step that ends with an error has
-- done nothing, and those after it are taken all the same.
if #KEYS == 3 then return steps[ARGV[2]](KEYS[3], unpack(ARGV, 3)) end
local answers = {}
for i = 3, #KEYS do
  local at = 5 * (i - 3) + 2
  local done, answer = pcall(steps[ARGV[at]], KEYS[i], unpack(ARGV, at + 1, at + 4))
  answers[i - 2] = done and answer or type(answer) == 'string' and { err = answer } or answer
end
return answers
