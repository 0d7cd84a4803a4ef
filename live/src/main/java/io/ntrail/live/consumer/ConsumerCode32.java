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
import static io.ntrail.programs.x86.asm.operands.Reg32.EBP;
import static io.ntrail.programs.x86.asm.operands.Reg32.EBX;
import static io.ntrail.programs.x86.asm.operands.Reg32.ECX;
import static io.ntrail.programs.x86.asm.operands.Reg32.EDI;
import static io.ntrail.programs.x86.asm.operands.Reg32.EDX;
import static io.ntrail.programs.x86.asm.operands.Reg32.ESI;
import static io.ntrail.programs.x86.asm.operands.Reg32.ESP;

import io.ntrail.formats.etl.ConsumedEvents;
import io.ntrail.programs.x86.asm.AssembledCode;
import io.ntrail.programs.x86.asm.Assembler;
import io.ntrail.programs.x86.asm.operands.Label;

/** Functions of the consumer for 32-bit agents, all of which take one argument off the stack. */
final class ConsumerCode32 {
  private static final int ARGUMENT = 4;

  // EVENT_RECORD, where its pointers are.
  private static final int ITEMS = 88;
  private static final int DATA = 92;
  private static final int CONTEXT = 96;

  private final Assembler a = Assembler.ia32();

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

  /** Copies an event: ebx the record, ebp the block, edi where it goes. */
  private void event() {
    Label next = a.label("next item to measure");
    Label measured = a.label("measured");
    Label placed = a.label("placed");
    Label here = a.label("here");
    Label full = a.label("full");
    Label out = a.label("out");
    a.push(EBX).push(EBP).push(ESI).push(EDI).cld();
    a.mov(EBX, ptr(ESP).plus(16 + ARGUMENT)).mov(EBP, ptr(EBX).plus(CONTEXT));
    a.movzx(ECX, ptr(EBX).plus(DATA_LENGTH).as16()).add(ECX, HEAD + ConsumedEvents.HEAD + 7);
    a.and(ECX, -8);
    a.movzx(EAX, ptr(EBX).plus(ITEM_COUNT).as16()).mov(ESI, ptr(EBX).plus(ITEMS));
    a.bind(next).test(EAX, EAX).jz(measured);
    a.movzx(EDX, ptr(ESI).plus(ITEM_LENGTH).as16()).add(EDX, ITEM_DATA + 7).and(EDX, -8);
    a.add(ECX, EDX).add(ESI, ITEM_BYTES).dec(EAX).jmp(next);
    a.bind(measured).mov(EAX, ptr(EBP).plus(WRITTEN)).mov(EDI, EAX).and(EDI, ptr(EBP).plus(MASK));
    // edx are the bytes of the ring that stay unused, since the event does not fit into them.
    a.mov(EDX, ptr(EBP).plus(ROOM)).sub(EDX, EDI).cmp(EDX, ECX).jb(placed).xor(EDX, EDX);
    a.bind(placed).add(EAX, EDX).add(EAX, ECX).mov(ptr(EBP).plus(NEXT), EAX);
    a.sub(EAX, ptr(EBP).plus(READ)).cmp(EAX, ptr(EBP).plus(ROOM)).ja(full);
    a.add(EDI, ptr(EBP).plus(RING)).test(EDX, EDX).jz(here);
    a.mov(ptr(EDI), EDX).mov(ptr(EDI).plus(4).as32(), 0).mov(EDI, ptr(EBP).plus(RING));
    a.bind(here).mov(ptr(EDI), ECX).mov(ptr(EDI).plus(4).as32(), AN_EVENT).add(EDI, HEAD);
    a.mov(ESI, EBX).mov(ECX, ConsumedEvents.HEAD / 4).rep().movsd();
    items();
    a.movzx(ECX, ptr(EBX).plus(DATA_LENGTH).as16()).mov(ESI, ptr(EBX).plus(DATA));
    a.rep().movsb();
    // Only now it is there; the processor keeps the order of writes.
    a.mov(EAX, ptr(EBP).plus(NEXT)).mov(ptr(EBP).plus(WRITTEN), EAX).jmp(out);
    a.bind(full).inc(ptr(EBP).plus(LOST).as32());
    a.bind(out).pop(EDI).pop(ESI).pop(EBP).pop(EBX).ret(ARGUMENT);
  }

  private void items() {
    Label next = a.label("next item");
    Label done = a.label("no item left");
    a.mov(EDX, ptr(EBX).plus(ITEMS)).movzx(EAX, ptr(EBX).plus(ITEM_COUNT).as16());
    a.bind(next).test(EAX, EAX).jz(done);
    a.mov(ECX, ptr(EDX)).mov(ptr(EDI), ECX).mov(ECX, ptr(EDX).plus(4)).mov(ptr(EDI).plus(4), ECX);
    a.add(EDI, ITEM_DATA).movzx(ECX, ptr(EDX).plus(ITEM_LENGTH).as16());
    a.mov(ESI, ptr(EDX).plus(ITEM_DATA)).rep().movsb().add(EDI, 7).and(EDI, -8);
    a.add(EDX, ITEM_BYTES).dec(EAX).jmp(next).bind(done);
  }

  private void buffer() {
    Label ends = a.label("ends");
    a.mov(ECX, ptr(ESP).plus(ARGUMENT)).mov(EDX, ptr(ECX).plus(LogFileRequest.CONTEXT_32));
    a.mov(EAX, ptr(ECX).plus(LogFileRequest.EVENTS_LOST_32)).mov(ptr(EDX).plus(TOLD), EAX);
    a.inc(ptr(EDX).plus(BUFFERS).as32()).xor(EAX, EAX).cmp(ptr(EDX).plus(STOP).as32(), 0).jne(ends);
    a.inc(EAX).bind(ends).ret(ARGUMENT);
  }

  private void thread() {
    a.push(EBX).mov(EBX, ptr(ESP).plus(4 + ARGUMENT)).lea(EAX, ptr(EBX).plus(HANDLE));
    a.push(0).push(0).push(ConsumerCode.ONE).push(EAX).call(ptr(EBX).plus(PROCESS).as32());
    a.mov(ptr(EBX).plus(RESULT), EAX).mov(ptr(EBX).plus(ENDED).as32(), 1).xor(EAX, EAX);
    a.pop(EBX).ret(ARGUMENT);
  }
}
