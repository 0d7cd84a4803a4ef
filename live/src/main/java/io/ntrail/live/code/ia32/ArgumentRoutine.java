package io.ntrail.live.code.ia32;

import static io.ntrail.programs.x86.asm.operands.Mem.fs;
import static io.ntrail.programs.x86.asm.operands.Mem.ptr;
import static io.ntrail.programs.x86.asm.operands.Reg32.EAX;
import static io.ntrail.programs.x86.asm.operands.Reg32.ECX;
import static io.ntrail.programs.x86.asm.operands.Reg32.EDX;
import static io.ntrail.programs.x86.asm.operands.Reg32.ESP;

import io.ntrail.live.code.SessionLayout;
import io.ntrail.programs.x86.asm.operands.Label;
import io.ntrail.programs.x86.asm.operands.Mem;

/**
 * Routine that records what may be arguments, each in 64 bits: ecx and edx, then the words above
 * the return address. Which of them are arguments, and in which order, is a matter of the
 * function's convention. Called with ecx = the record, which has ecx and edx, and edx = the key, it
 * changes eax and edx, and no flag.
 *
 * <p>A function may be called where less than these words lies between it and the end of its stack,
 * and after that there may be no memory: words beyond the stack are recorded as 0, and so are all
 * words of a stack that the system does not know.
 */
final class ArgumentRoutine extends RuntimeRoutines32 {
  final Label begin = a.label("arguments");
  private final int stackWords;

  ArgumentRoutine(RoutineContext32 parts) {
    super(parts);
    this.stackWords = stackWords(record);
  }

  /** Returns how many words of the stack records have. */
  static int stackWords(int record) {
    if (record <= SessionLayout.RECORD_ARGUMENTS) {
      return 0;
    }
    int end =
        record <= SessionLayout.RECORD_STACK_ARGUMENTS
            ? SessionLayout.RECORD_STACK_ARGUMENTS
            : SessionLayout.RECORD_COPIES;
    return (end - SessionLayout.RECORD_ARGUMENTS) / Long.BYTES - 2;
  }

  private static Mem target(int place) {
    return ptr(ECX).plus(SessionLayout.RECORD_ARGUMENTS + Long.BYTES * place);
  }

  void write() {
    Label below = a.label("ends below the base");
    Label all = a.label("all words");
    Label some = a.label("some words");
    a.bind(begin)
        .mov(EAX, ptr(ECX).plus(SessionLayout.RECORD_VALUE + 4))
        .mov(target(0), EAX)
        .mov(target(0).plus(4).as32(), 0)
        .mov(EAX, ptr(ECX).plus(SessionLayout.RECORD_KEY + 4))
        .mov(target(1), EAX)
        .mov(target(1).plus(4).as32(), 0)
        .push(ECX)
        .push(EDX)
        // The base minus the end of the words.
        .mov(EAX, EDX)
        .not(EAX)
        .mov(ECX, fs(TlsOffsets32.STACK_BASE))
        .lea(EAX, ptr(EAX).index(ECX, 1).plus(1 - 4L * stackWords))
        .cdq()
        .mov(ECX, EDX)
        .jecxz(below)
        .jmp(some)
        .bind(below)
        // The place of the return address minus the limit.
        .mov(EAX, ptr(ESP))
        .mov(ECX, fs(TlsOffsets32.STACK_LIMIT))
        .not(ECX)
        .lea(EAX, ptr(EAX).index(ECX, 1).plus(1 - 4))
        .cdq()
        .mov(ECX, EDX)
        .jecxz(all)
        .jmp(some)
        .bind(all)
        .pop(EDX)
        .pop(ECX);
    for (int word = 0; word < stackWords; word++) {
      a.mov(EAX, ptr(EDX).plus(4L * word))
          .mov(target(2 + word), EAX)
          .mov(target(2 + word).plus(4).as32(), 0);
    }
    a.ret();
    writeSome(some);
  }

  /** Reads as many words as the stack has: the key and the record are pushed. */
  private void writeSome(Label some) {
    Label known = a.label("known stack");
    a.bind(some)
        .pop(EDX)
        .pop(ECX)
        .pushfd()
        .lea(EAX, ptr(EDX).plus(-4))
        .cmp(EAX, fs(TlsOffsets32.STACK_LIMIT))
        .jae(known)
        // From there on every word is beyond.
        .mov(EDX, fs(TlsOffsets32.STACK_BASE))
        .bind(known);
    for (int word = 0; word < stackWords; word++) {
      Label beyond = a.label();
      Label store = a.label();
      a.lea(EAX, ptr(EDX).plus(4L * word + 4))
          .cmp(EAX, fs(TlsOffsets32.STACK_BASE))
          .ja(beyond)
          .mov(EAX, ptr(EAX).plus(-4))
          .jmp(store)
          .bind(beyond)
          .xor(EAX, EAX)
          .bind(store)
          .mov(target(2 + word), EAX)
          .mov(target(2 + word).plus(4).as32(), 0);
    }
    a.popfd().ret();
  }
}
