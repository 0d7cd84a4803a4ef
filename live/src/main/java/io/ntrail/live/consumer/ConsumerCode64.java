package io.ntrail.live.consumer;

import static io.ntrail.live.consumer.ConsumerBlock.AN_EVENT;
import static io.ntrail.live.consumer.ConsumerBlock.BUFFERS;
import static io.ntrail.live.consumer.ConsumerBlock.ENDED;
import static io.ntrail.live.consumer.ConsumerBlock.HANDLE;
import static io.ntrail.live.consumer.ConsumerBlock.HEAD;
import static io.ntrail.live.consumer.ConsumerBlock.LOST;
import static io.ntrail.live.consumer.ConsumerBlock.MASK;
import static io.ntrail.live.consumer.ConsumerBlock.NEXT;
import static io.ntrail.live.consumer.ConsumerBlock.PROCESS;
import static io.ntrail.live.consumer.ConsumerBlock.READ;
import static io.ntrail.live.consumer.ConsumerBlock.RECORD;
import static io.ntrail.live.consumer.ConsumerBlock.RESULT;
import static io.ntrail.live.consumer.ConsumerBlock.RING;
import static io.ntrail.live.consumer.ConsumerBlock.ROOM;
import static io.ntrail.live.consumer.ConsumerBlock.STOP;
import static io.ntrail.live.consumer.ConsumerBlock.TOLD;
import static io.ntrail.live.consumer.ConsumerBlock.WRITTEN;
import static io.ntrail.live.consumer.EventRecordLayout.DATA_LENGTH;
import static io.ntrail.live.consumer.EventRecordLayout.ITEM_BYTES;
import static io.ntrail.live.consumer.EventRecordLayout.ITEM_COUNT;
import static io.ntrail.live.consumer.EventRecordLayout.ITEM_DATA;
import static io.ntrail.live.consumer.EventRecordLayout.ITEM_LENGTH;
import static io.ntrail.programs.x86.asm.operands.Mem.ptr;
import static io.ntrail.programs.x86.asm.operands.Reg32.EAX;
import static io.ntrail.programs.x86.asm.operands.Reg32.ECX;
import static io.ntrail.programs.x86.asm.operands.Reg32.EDX;
import static io.ntrail.programs.x86.asm.operands.Reg32.R10D;
import static io.ntrail.programs.x86.asm.operands.Reg32.R11D;
import static io.ntrail.programs.x86.asm.operands.Reg32.R8D;
import static io.ntrail.programs.x86.asm.operands.Reg32.R9D;
import static io.ntrail.programs.x86.asm.operands.Reg64.R10;
import static io.ntrail.programs.x86.asm.operands.Reg64.R11;
import static io.ntrail.programs.x86.asm.operands.Reg64.R8;
import static io.ntrail.programs.x86.asm.operands.Reg64.RAX;
import static io.ntrail.programs.x86.asm.operands.Reg64.RBX;
import static io.ntrail.programs.x86.asm.operands.Reg64.RCX;
import static io.ntrail.programs.x86.asm.operands.Reg64.RDX;
import static io.ntrail.programs.x86.asm.operands.Reg64.RSP;
import static io.ntrail.programs.x86.asm.operands.Reg8.CL;

import io.ntrail.formats.etl.ConsumedEvents;
import io.ntrail.programs.x86.asm.AssembledCode;
import io.ntrail.programs.x86.asm.Assembler;
import io.ntrail.programs.x86.asm.operands.Label;

/**
 * Functions of the consumer for 64-bit agents. Those that Windows calls use neither the stack nor
 * registers that have to be preserved, so that they need no unwind data.
 */
final class ConsumerCode64 {
  // EVENT_RECORD, where its pointers are.
  private static final int ITEMS = 88;
  private static final int DATA = 96;
  private static final int CONTEXT = 104;

  private static final int SHADOW = 0x20;

  private final Assembler a = Assembler.x64();

  ConsumerCode write() {
    Label event = a.here("event");
    event();
    Label buffer = a.here("buffer");
    buffer();
    Label thread = a.here("thread");
    thread();
    AssembledCode code = a.assemble();
    return new ConsumerCode(
        code.bytes(), code.offset(event), code.offset(buffer), code.offset(thread));
  }

  /** Copies an event: rcx the record, r8 the block, rdx where it goes, r9 its bytes. */
  private void event() {
    Label next = a.label("next item to measure");
    Label measured = a.label("measured");
    Label placed = a.label("placed");
    Label here = a.label("here");
    Label full = a.label("full");
    a.mov(R8, ptr(RCX).plus(CONTEXT));
    a.movzx(R9D, ptr(RCX).plus(DATA_LENGTH).as16()).add(R9D, HEAD + ConsumedEvents.HEAD + 7);
    a.and(R9D, -8);
    a.movzx(EAX, ptr(RCX).plus(ITEM_COUNT).as16()).mov(R10, ptr(RCX).plus(ITEMS));
    a.bind(next).test(EAX, EAX).jz(measured);
    a.movzx(EDX, ptr(R10).plus(ITEM_LENGTH).as16()).add(EDX, ITEM_DATA + 7).and(EDX, -8);
    a.add(R9D, EDX).add(R10, ITEM_BYTES).dec(EAX).jmp(next);
    a.bind(measured).mov(EAX, ptr(R8).plus(WRITTEN)).mov(EDX, EAX).and(EDX, ptr(R8).plus(MASK));
    // r11 are the bytes of the ring that stay unused, since the event does not fit into them.
    a.mov(R11D, ptr(R8).plus(ROOM)).sub(R11D, EDX).cmp(R11D, R9D).jb(placed).xor(R11D, R11D);
    a.bind(placed).lea(R10D, ptr(RAX).index(R11, 1)).add(R10D, R9D);
    a.mov(ptr(R8).plus(NEXT), R10D).sub(R10D, ptr(R8).plus(READ));
    a.cmp(R10D, ptr(R8).plus(ROOM)).ja(full);
    a.add(RDX, ptr(R8).plus(RING)).test(R11D, R11D).jz(here);
    a.mov(ptr(RDX), R11).mov(RDX, ptr(R8).plus(RING));
    a.bind(here).mov(ptr(RDX), R9D).mov(ptr(RDX).plus(4).as32(), AN_EVENT);
    for (int at = 0; at < ConsumedEvents.HEAD; at += 8) {
      a.mov(RAX, ptr(RCX).plus(at)).mov(ptr(RDX).plus(HEAD + at), RAX);
    }
    a.add(RDX, HEAD + ConsumedEvents.HEAD);
    items();
    a.movzx(EAX, ptr(RCX).plus(DATA_LENGTH).as16()).mov(R11, ptr(RCX).plus(DATA));
    copy();
    // Only now it is there; the processor keeps the order of writes.
    a.mov(EAX, ptr(R8).plus(NEXT)).mov(ptr(R8).plus(WRITTEN), EAX).ret();
    a.bind(full).inc(ptr(R8).plus(LOST).as32()).ret();
  }

  private void items() {
    Label next = a.label("next item");
    Label done = a.label("no item left");
    a.mov(R10, ptr(RCX).plus(ITEMS)).movzx(R9D, ptr(RCX).plus(ITEM_COUNT).as16());
    a.bind(next).test(R9D, R9D).jz(done);
    a.mov(R11, ptr(R10)).mov(ptr(RDX), R11).add(RDX, ITEM_DATA);
    a.movzx(EAX, ptr(R10).plus(ITEM_LENGTH).as16()).mov(R11, ptr(R10).plus(ITEM_DATA));
    a.add(R10, ITEM_BYTES).dec(R9D);
    copy();
    a.jmp(next).bind(done);
  }

  /** Copies eax bytes from r11 to rdx, which is a multiple of 8 before and afterwards. */
  private void copy() {
    Label words = a.label("words");
    Label last = a.label("last bytes");
    Label done = a.label("copied");
    // No register is left for what is copied.
    a.mov(ptr(R8).plus(RECORD), RCX);
    a.bind(words).cmp(EAX, 8).jb(last).mov(RCX, ptr(R11)).mov(ptr(RDX), RCX);
    a.add(R11, 8).add(RDX, 8).sub(EAX, 8).jmp(words);
    a.bind(last).test(EAX, EAX).jz(done).movzx(ECX, ptr(R11).as8()).mov(ptr(RDX).as8(), CL);
    a.inc(R11).inc(RDX).dec(EAX).jmp(last);
    a.bind(done).add(RDX, 7).and(RDX, -8).mov(RCX, ptr(R8).plus(RECORD));
  }

  private void buffer() {
    Label ends = a.label("ends");
    a.mov(R8, ptr(RCX).plus(LogFileRequest.CONTEXT_64));
    a.mov(EAX, ptr(RCX).plus(LogFileRequest.EVENTS_LOST_64)).mov(ptr(R8).plus(TOLD), EAX);
    a.inc(ptr(R8).plus(BUFFERS).as32()).xor(EAX, EAX).cmp(ptr(R8).plus(STOP).as32(), 0).jne(ends);
    a.inc(EAX).bind(ends).ret();
  }

  private void thread() {
    a.push(RBX).mov(RBX, RCX).sub(RSP, SHADOW);
    a.lea(RCX, ptr(RBX).plus(HANDLE)).mov(EDX, ConsumerCode.ONE).xor(R8D, R8D).xor(R9D, R9D);
    a.call(ptr(RBX).plus(PROCESS).as64()).mov(ptr(RBX).plus(RESULT), EAX);
    a.mov(ptr(RBX).plus(ENDED).as32(), 1).xor(EAX, EAX).add(RSP, SHADOW).pop(RBX).ret();
  }
}
