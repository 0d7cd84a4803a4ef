package io.ntrail.live.code.x64;

import static io.ntrail.programs.x86.asm.operands.Mem.ptr;
import static io.ntrail.programs.x86.asm.operands.Reg32.EAX;
import static io.ntrail.programs.x86.asm.operands.Reg32.EDX;
import static io.ntrail.programs.x86.asm.operands.Reg64.R8;
import static io.ntrail.programs.x86.asm.operands.Reg64.RAX;
import static io.ntrail.programs.x86.asm.operands.Reg64.RCX;
import static io.ntrail.programs.x86.asm.operands.Reg64.RDI;
import static io.ntrail.programs.x86.asm.operands.Reg64.RSI;

import io.ntrail.formats.bytes.Bytes;
import io.ntrail.formats.bytes.BytesBuilder;
import io.ntrail.live.code.StoreCode;
import io.ntrail.programs.x86.asm.AssembledCode;
import io.ntrail.programs.x86.asm.Assembler;
import io.ntrail.programs.x86.asm.operands.Label;
import io.ntrail.programs.x86.asm.operands.Reg16;
import java.util.ArrayList;
import java.util.List;

/**
 * Routine that a thread of its own runs in a target: it writes two bytes at many addresses, each
 * with one store, where it finds the expected value.
 *
 * <p>The target's threads run meanwhile. So a page may be protected again after it was made
 * writable: such a store is left out, by a handler of the routine's own, and the program continues.
 */
final class StoreRoutine implements StoreCode {
  /** Size of a store in the parameters. */
  static final int PLACE = 16;

  /** Offset of the first store in the parameters, behind their number. */
  static final int HEAD = 8;

  /** Offset in a store of the word that tells that it was made. */
  static final int DONE = 12;

  private static final int UNWINDING = 0x66;
  private static final int CONTEXT_RIP = 0xF8;
  private static final int PUSH_NONVOLATILE = 12;

  /** Version 1 with a handler for exceptions. */
  private static final int GUARDED = 1 | 1 << 3;

  private final byte[] code;
  private final byte[] table;
  private final int tableAt;

  /** Assembles the routine; it can lie anywhere. */
  StoreRoutine() {
    Assembler a = Assembler.x64();
    Label begin = a.here("begin");
    Label next = a.label("next place");
    Label behind = a.label("behind the store");
    Label done = a.label("done");
    Label handler = a.label("handler");
    Label out = a.label("not this one");
    a.push(RSI);
    Label first = a.here("rsi is saved");
    a.push(RDI);
    Label second = a.here("rdi is saved");
    a.mov(RSI, ptr(RCX)).lea(RDI, ptr(RCX).plus(HEAD));
    a.bind(next).test(RSI, RSI).jz(done);
    a.mov(RCX, ptr(RDI)).movzx(EAX, ptr(RDI).plus(8).as16());
    a.movzx(EDX, ptr(RDI).plus(10).as16()).lock().cmpxchg(ptr(RCX), Reg16.DX).jnz(behind);
    a.mov(ptr(RDI).plus(DONE).as32(), 1).bind(behind).add(RDI, PLACE).dec(RSI).jmp(next);
    a.bind(done).xor(EAX, EAX).pop(RDI).pop(RSI).ret();
    Label end = a.here("end");
    // Nothing but the store can fail.
    a.bind(handler).test(ptr(RCX).plus(4).as32(), UNWINDING).jnz(out);
    a.lea(RAX, ptr(behind)).mov(ptr(R8).plus(CONTEXT_RIP), RAX).xor(EAX, EAX).ret();
    a.bind(out).mov(EAX, 1).ret();
    AssembledCode assembled = a.assemble();
    code = assembled.bytes();
    tableAt = code.length + 0xF & ~0xF;
    int[] codes = {
      assembled.offset(second) | RDI.number() << PUSH_NONVOLATILE,
      assembled.offset(first) | RSI.number() << PUSH_NONVOLATILE
    };
    FunctionTableBuilder functions = new FunctionTableBuilder();
    functions.addGuarded(
        assembled.offset(begin),
        assembled.offset(end),
        new UnwindBytes(GUARDED, assembled.offset(second), 0, codes),
        assembled.offset(handler));
    table = functions.bytes(tableAt);
  }

  @Override
  public byte[] bytes() {
    return new BytesBuilder(tableAt + table.length)
        .bytes(code)
        .zeros(tableAt - code.length)
        .bytes(table)
        .toArray();
  }

  @Override
  public int tableAt() {
    return tableAt;
  }

  @Override
  public int entries() {
    return 1;
  }

  @Override
  public byte[] parameters(List<Store> stores) {
    BytesBuilder out = new BytesBuilder(HEAD + PLACE * stores.size()).u64(stores.size());
    for (Store store : stores) {
      out.u64(store.address()).u16(store.expected()).u16(store.value()).u32(0);
    }
    return out.toArray();
  }

  @Override
  public List<Store> made(Bytes parameters, List<Store> stores) {
    List<Store> made = new ArrayList<>();
    for (int i = 0; i < stores.size(); i++) {
      if (parameters.u32(HEAD + PLACE * i + DONE) != 0) {
        made.add(stores.get(i));
      }
    }
    return made;
  }
}
