package io.ntrail.programs.kernelcode;

import io.ntrail.formats.pe.fixups.DynamicFixup;
import io.ntrail.formats.pe.fixups.DynamicRelocations.Symbol;
import java.util.Locale;
import java.util.Optional;

/** A kind of instruction that a kernel rewrites, as its dynamic relocation record describes it. */
public enum SiteForm {
  /** {@code call [slot]} of an import. */
  IMPORT_CALL(Symbol.GUARD_IMPORT_CONTROL_TRANSFER, 12, true),
  /** {@code jmp [slot]} of an import. */
  IMPORT_JUMP(Symbol.GUARD_IMPORT_CONTROL_TRANSFER, 12, false),
  /** {@code call} through the dispatcher of control flow guard. */
  CHECKED_CALL(Symbol.GUARD_INDIR_CONTROL_TRANSFER, 6, true),
  /** A checked call with the prefix REX.W. */
  CHECKED_CALL_REX_W(Symbol.GUARD_INDIR_CONTROL_TRANSFER, 7, true),
  /** {@code jmp} through the dispatcher of control flow guard. */
  CHECKED_JUMP(Symbol.GUARD_INDIR_CONTROL_TRANSFER, 6, false),
  /** A checked jump with the prefix REX.W. */
  CHECKED_JUMP_REX_W(Symbol.GUARD_INDIR_CONTROL_TRANSFER, 7, false),
  /** {@code call rax}. */
  POINTER_CALL(Symbol.GUARD_INDIR_CONTROL_TRANSFER, 5, true),
  /** {@code jmp rax}. */
  POINTER_JUMP(Symbol.GUARD_INDIR_CONTROL_TRANSFER, 5, false),
  /** {@code jmp} through a register with an address out of the table of a switch. */
  SWITCH_JUMP(Symbol.GUARD_SWITCHTABLE_BRANCH, 6, false);

  private final Symbol symbol;
  private final int length;
  private final boolean call;

  SiteForm(Symbol symbol, int length, boolean call) {
    this.symbol = symbol;
    this.length = length;
    this.call = call;
  }

  /** Returns the symbol of the list that has its records. */
  public Symbol symbol() {
    return symbol;
  }

  /** Returns the number of bytes that are rewritten, fill included. */
  public int length() {
    return length;
  }

  /** Returns true for a call, false for a jump. */
  public boolean isCall() {
    return call;
  }

  /** Returns whether the instruction has the prefix REX.W that its record tells of. */
  boolean hasRexW() {
    return this == CHECKED_CALL_REX_W || this == CHECKED_JUMP_REX_W;
  }

  /** Returns whether it goes through the dispatcher of control flow guard. */
  public boolean isChecked() {
    return symbol == Symbol.GUARD_INDIR_CONTROL_TRANSFER && length != POINTER_CALL.length;
  }

  /** {@code import call}, {@code checked jump rex.w}. */
  public String text() {
    return name().toLowerCase(Locale.ROOT).replace("_rex_w", " rex.w").replace('_', ' ');
  }

  /** Returns the form that a record is about; empty for records of other symbols. */
  static Optional<SiteForm> of(DynamicFixup record) {
    return switch (record) {
      case DynamicFixup.ImportTransfer(_, boolean call, _) ->
          Optional.of(call ? IMPORT_CALL : IMPORT_JUMP);
      case DynamicFixup.IndirectTransfer(_, boolean call, boolean rexW, boolean checked) ->
          Optional.of(indirect(call, rexW, checked));
      case DynamicFixup.SwitchBranch _ -> Optional.of(SWITCH_JUMP);
      default -> Optional.empty();
    };
  }

  private static SiteForm indirect(boolean call, boolean rexW, boolean checked) {
    if (!checked) {
      return call ? POINTER_CALL : POINTER_JUMP;
    }
    if (rexW) {
      return call ? CHECKED_CALL_REX_W : CHECKED_JUMP_REX_W;
    }
    return call ? CHECKED_CALL : CHECKED_JUMP;
  }
}
