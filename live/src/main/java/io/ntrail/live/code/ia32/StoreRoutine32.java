package io.ntrail.live.code.ia32;

import static io.ntrail.programs.x86.asm.operands.Mem.fs;
import static io.ntrail.programs.x86.asm.operands.Mem.ptr;
import static io.ntrail.programs.x86.asm.operands.Reg32.EAX;
import static io.ntrail.programs.x86.asm.operands.Reg32.EBX;
import static io.ntrail.programs.x86.asm.operands.Reg32.ECX;
import static io.ntrail.programs.x86.asm.operands.Reg32.EDI;
import static io.ntrail.programs.x86.asm.operands.Reg32.EDX;
import static io.ntrail.programs.x86.asm.operands.Reg32.ESI;
import static io.ntrail.programs.x86.asm.operands.Reg32.ESP;

import io.ntrail.formats.bytes.Bytes;
import io.ntrail.formats.bytes.BytesBuilder;
import io.ntrail.live.code.StoreCode;
import io.ntrail.programs.x86.asm.Assembler;
import io.ntrail.programs.x86.asm.operands.Label;
import io.ntrail.programs.x86.asm.operands.Reg16;
import java.util.ArrayList;
import java.util.List;

/**
 * Routine for {@link StoreCode}. Its parameters: u64 number of places, then for each u64 address,
 * u16 expected, u16 new, u32 whether it was stored. A place that cannot be written is skipped, by
 * an exception handler in the list of the thread that runs it.
 */
final class StoreRoutine32 implements StoreCode {
  private static final int HEAD = 8;
  private static final int PLACE = 16;
  private static final int DONE = 12;

  /** Eip in CONTEXT. */
  private static final int CONTEXT_EIP = 0xB8;

  /** EXCEPTION_UNWINDING, EXIT_UNWIND, NESTED_CALL, TARGET_UNWIND, COLLIDED_UNWIND. */
  private static final int NOT_FIRST = 0x7E;

  private static final int CONTINUE_EXECUTION = 0;
  private static final int CONTINUE_SEARCH = 1;

  private final byte[] code;

  /** Assembles the routine; it can lie anywhere. */
  StoreRoutine32() {
    Assembler a = Assembler.ia32();
    Label here = a.label("here");
    Label handler = a.label("handler");
    Label next = a.label("next place");
    Label behind = a.label("behind the store");
    Label done = a.label("done");
    Label out = a.label("not this one");
    a.push(EBX).push(ESI).push(EDI).mov(ECX, ptr(ESP).plus(16));
    a.call(here).bind(here).pop(EAX).lea(EAX, ptr(EAX).plusDistance(here, handler));
    a.push(EAX).push(fs(0).as32()).mov(fs(0), ESP);
    a.mov(ESI, ptr(ECX)).lea(EDI, ptr(ECX).plus(HEAD));
    a.bind(next).test(ESI, ESI).jz(done);
    a.mov(ECX, ptr(EDI)).movzx(EAX, ptr(EDI).plus(8).as16());
    a.movzx(EDX, ptr(EDI).plus(10).as16()).lock().cmpxchg(ptr(ECX), Reg16.DX).jnz(behind);
    a.mov(ptr(EDI).plus(DONE).as32(), 1).bind(behind).add(EDI, PLACE).dec(ESI).jmp(next);
    a.bind(done).pop(fs(0).as32()).pop(EAX).xor(EAX, EAX).pop(EDI).pop(ESI).pop(EBX).ret(4);
    // Nothing but the store can fail.
    a.bind(handler).mov(EAX, ptr(ESP).plus(4)).mov(ECX, ptr(ESP).plus(12));
    a.test(ptr(EAX).plus(4).as32(), NOT_FIRST).mov(EAX, CONTINUE_SEARCH).jnz(out);
    a.mov(EAX, ptr(ESP).plus(8)).mov(EAX, ptr(EAX).plus(4));
    a.lea(EAX, ptr(EAX).plusDistance(handler, behind)).mov(ptr(ECX).plus(CONTEXT_EIP), EAX);
    a.mov(EAX, CONTINUE_EXECUTION).bind(out).ret();
    code = a.assemble().bytes();
  }

  @Override
  public byte[] bytes() {
    return code.clone();
  }

  /** There is no function table. */
  @Override
  public int tableAt() {
    return code.length;
  }

  @Override
  public int entries() {
    return 0;
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
