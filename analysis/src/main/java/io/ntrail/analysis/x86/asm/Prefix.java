package io.ntrail.analysis.x86.asm;

/** A prefix that changes what an instruction does. */
enum Prefix {
  /** One operation on memory that no other processor sees half of. */
  LOCK(0xF0),
  /** As often as the counter says. */
  REP(0xF3),
  /** While equal. */
  REPE(0xF3),
  /** While not equal. */
  REPNE(0xF2);

  private final int code;

  Prefix(int code) {
    this.code = code;
  }

  int code() {
    return code;
  }

  /** Whether it means something before a form with these operands. */
  boolean isAllowed(Form form, Operand... operands) {
    return switch (this) {
      case LOCK -> form.has("lock") && operands[0] instanceof Mem;
      case REP -> form.has("rep");
      case REPE -> form.has("repe");
      case REPNE -> form.has("repne");
    };
  }
}
