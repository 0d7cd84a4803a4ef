package io.ntrail.live.agent;

import static io.ntrail.programs.x86.asm.operands.Mem.gs;
import static io.ntrail.programs.x86.asm.operands.Mem.ptr;
import static io.ntrail.programs.x86.asm.operands.Reg32.EAX;
import static io.ntrail.programs.x86.asm.operands.Reg32.EBP;
import static io.ntrail.programs.x86.asm.operands.Reg32.EBX;
import static io.ntrail.programs.x86.asm.operands.Reg32.ECX;
import static io.ntrail.programs.x86.asm.operands.Reg32.EDX;
import static io.ntrail.programs.x86.asm.operands.Reg32.R10D;
import static io.ntrail.programs.x86.asm.operands.Reg32.R12D;
import static io.ntrail.programs.x86.asm.operands.Reg32.R13D;
import static io.ntrail.programs.x86.asm.operands.Reg32.R14D;
import static io.ntrail.programs.x86.asm.operands.Reg32.R8D;
import static io.ntrail.programs.x86.asm.operands.Reg32.R9D;
import static io.ntrail.programs.x86.asm.operands.Reg64.R10;
import static io.ntrail.programs.x86.asm.operands.Reg64.R11;
import static io.ntrail.programs.x86.asm.operands.Reg64.R12;
import static io.ntrail.programs.x86.asm.operands.Reg64.R13;
import static io.ntrail.programs.x86.asm.operands.Reg64.R14;
import static io.ntrail.programs.x86.asm.operands.Reg64.R8;
import static io.ntrail.programs.x86.asm.operands.Reg64.R9;
import static io.ntrail.programs.x86.asm.operands.Reg64.RAX;
import static io.ntrail.programs.x86.asm.operands.Reg64.RBP;
import static io.ntrail.programs.x86.asm.operands.Reg64.RBX;
import static io.ntrail.programs.x86.asm.operands.Reg64.RCX;
import static io.ntrail.programs.x86.asm.operands.Reg64.RDI;
import static io.ntrail.programs.x86.asm.operands.Reg64.RDX;
import static io.ntrail.programs.x86.asm.operands.Reg64.RSI;
import static io.ntrail.programs.x86.asm.operands.Reg64.RSP;

import io.ntrail.formats.pe.MachineType;
import io.ntrail.formats.pe.build.PeBuilder;
import io.ntrail.formats.pe.build.UnwindInfoBuilder;
import io.ntrail.programs.x86.asm.AssembledCode;
import io.ntrail.programs.x86.asm.Assembler;
import io.ntrail.programs.x86.asm.operands.Label;
import io.ntrail.programs.x86.asm.operands.Mem;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;

/**
 * Executable of the agent for 64-bit Windows, generated here.
 *
 * <p>It reads a request, executes it, writes the answer, and starts again. Calls are made in a
 * function of their own whose exception handler turns every unexpected error into an answer.
 */
public final class AgentImage {
  private static final long BASE = 0x1_4000_0000L;
  private static final int SCRATCH = 0x4_0000;

  private static final int PAGE = 0x1000;

  /** Parts of the code after the first, in their order. */
  private static final String[] PARTS = {
    "guarded", "guarded end", "handler", "read", "write", "copy"
  };

  private static final String[] IMPORTS = {
    "ExitProcess",
    "GetProcAddress",
    "GetStdHandle",
    "LoadLibraryA",
    "ReadFile",
    "ReadProcessMemory",
    "RtlUnwind",
    "WriteFile",
    "WriteProcessMemory"
  };

  /** Offset of the last error in the thread environment block. */
  private static final int LAST_ERROR = 0x68;

  /** Flag of an exception record: the stack is being unwound. */
  private static final int UNWINDING = 0x66;

  /** Size of the arguments of a call. */
  private static final int FRAME = 8 * AgentProtocol.MAX_ARGUMENTS;

  private static final int IN = 0;
  private static final int OUT = IN + AgentProtocol.MAX_PAYLOAD + 0x100;
  private static final int SCRATCH_AT = OUT + AgentProtocol.MAX_PAYLOAD + 0x200 & ~0xFFF;
  private static final int CELLS = SCRATCH_AT + SCRATCH;
  private static final int INPUT_HANDLE = CELLS;
  private static final int OUTPUT_HANDLE = CELLS + 8;
  private static final int DATA_LENGTH = CELLS + 16;
  private static final int MOVED = CELLS + 24;
  private static final int ARGUMENTS = CELLS + 64;
  private static final int OUTCOME = ARGUMENTS + FRAME;
  private static final int END = OUTCOME + 64;

  // Of the answer in the output buffer.
  private static final int RESULT = OUT + 8;
  private static final int ERROR = OUT + 16;
  private static final int STATUS = OUT + 20;
  private static final int DATA = OUT + 24;

  private final Assembler a = Assembler.x64();
  private final Map<String, Long> addresses;
  private final Label answer = a.label("answer");
  private final Label misunderstood = a.label("misunderstood");
  private final Label guarded = a.label("guarded");
  private final Label guardedEnd = a.label("guarded, end");
  private final Label recover = a.label("recover");
  private final Label handler = a.label("handler");
  private final Label copy = a.label("copy");
  private final Label readExactly = a.label("read exactly");
  private final Label writeExactly = a.label("write exactly");
  private final Label over = a.label("over");

  private AgentImage(Map<String, Long> addresses) {
    this.addresses = addresses;
  }

  /** Returns the content of its file, which is always the same. */
  public static byte[] file() {
    // Where the rest lies does not depend on the code, as that fits into its page.
    PeBuilder.Built draft = image(new byte[7], List.of(1, 2, 3, 4, 5, 6));
    Map<String, Long> addresses = new HashMap<>();
    for (String name : IMPORTS) {
      addresses.put(name, BASE + draft.rva("kernel32.dll!" + name));
    }
    addresses.put("buffers", BASE + draft.rva("buffers"));
    AgentImage image = new AgentImage(addresses);
    image.write();
    AssembledCode code = image.a.assemble();
    if (code.length() > PAGE) {
      throw new IllegalStateException("the agent's code is longer than a page");
    }
    return image(
            code.bytesAt(BASE + PAGE),
            Stream.of(
                    image.guarded,
                    image.guardedEnd,
                    image.handler,
                    image.readExactly,
                    image.writeExactly,
                    image.copy)
                .map(code::offset)
                .toList())
        .file();
  }

  /** Builds the file with code whose parts begin at some offsets, the first at 0. */
  private static PeBuilder.Built image(byte[] code, List<Integer> parts) {
    PeBuilder builder =
        PeBuilder.program(MachineType.AMD64).base(BASE).imports("kernel32.dll", IMPORTS);
    PartWriter part = new PartWriter(builder, code);
    part.label(0, "main");
    for (int i = 0; i < PARTS.length; i++) {
      part.label(parts.get(i), PARTS[i]);
    }
    part.write();
    builder.code().label("end");
    builder.data().label("buffers").reserve(END);
    // Unwind codes: offset after the instruction.
    builder.function("main", "guarded", UnwindInfoBuilder.prologue(4).allocate(4, 0x48));
    builder.function(
        "guarded",
        "guarded end",
        UnwindInfoBuilder.prologue(7)
            .push(1, 3)
            .push(2, 6)
            .push(3, 7)
            .allocate(7, FRAME)
            .handler(true, false, "handler", null));
    builder.function("handler", "read", UnwindInfoBuilder.prologue(4).allocate(4, 0x28));
    builder.function("read", "write", transferUnwind());
    builder.function("write", "copy", transferUnwind());
    builder.function("copy", "end", UnwindInfoBuilder.prologue(2).push(1, 6).push(2, 7));
    return builder.entry("main").build();
  }

  private static UnwindInfoBuilder transferUnwind() {
    return UnwindInfoBuilder.prologue(8)
        .push(1, 3)
        .push(2, 6)
        .push(3, 7)
        .push(4, 5)
        .allocate(8, 0x38);
  }

  /** Writes code with names at some of its places, in their order. */
  private static final class PartWriter {
    private final PeBuilder builder;
    private final byte[] bytes;
    private int done;

    PartWriter(PeBuilder builder, byte[] bytes) {
      this.builder = builder;
      this.bytes = bytes;
    }

    PartWriter label(int at, String name) {
      builder.code().bytes(Arrays.copyOfRange(bytes, done, at)).label(name);
      done = at;
      return this;
    }

    void write() {
      builder.code().bytes(Arrays.copyOfRange(bytes, done, bytes.length));
    }
  }

  private long address(String name) {
    return Objects.requireNonNull(addresses.get(name), name);
  }

  private Mem at(int offset) {
    return Mem.rip(address("buffers") + offset);
  }

  private Mem imported(String name) {
    return Mem.rip(address(name)).as64();
  }

  private void write() {
    a.sub(RSP, 0x48);
    handle(-10, INPUT_HANDLE);
    handle(-11, OUTPUT_HANDLE);
    Label loop = a.here("loop");
    a.lea(RCX, at(IN)).mov(EDX, AgentProtocol.HEAD).call(readExactly);
    a.mov(EDX, at(IN)).cmp(EDX, AgentProtocol.MAX_PAYLOAD).ja(over);
    a.lea(RCX, at(IN + AgentProtocol.HEAD)).call(readExactly);
    a.xor(EAX, EAX).mov(at(RESULT), RAX).mov(at(ERROR), RAX).mov(at(DATA_LENGTH), EAX);
    // What every operation begins with: rsi at the payload, ebp its length.
    a.lea(RSI, at(IN + AgentProtocol.HEAD)).mov(EBP, at(IN));
    a.movzx(EAX, at(IN + 4).as16());
    Label hello = choose(AgentProtocol.HELLO, "hello");
    Label resolve = choose(AgentProtocol.RESOLVE, "resolve");
    Label calls = choose(AgentProtocol.CALLS, "calls");
    Label peek = choose(AgentProtocol.PEEK, "peek");
    Label poke = choose(AgentProtocol.POKE, "poke");
    Label read = choose(AgentProtocol.READ, "read");
    Label write = choose(AgentProtocol.WRITE, "write");
    Label exit = choose(AgentProtocol.EXIT, "exit");
    a.bind(misunderstood)
        .mov(at(STATUS).as32(), AgentProtocol.MISUNDERSTOOD)
        .mov(at(DATA_LENGTH).as32(), 0)
        .bind(answer)
        .mov(EDX, at(DATA_LENGTH))
        .add(EDX, AgentProtocol.ANSWER_HEAD)
        .mov(at(OUT), EDX)
        .mov(EAX, at(IN + 4))
        .or(EAX, AgentProtocol.ANSWER)
        .mov(at(OUT + 4), EAX)
        .lea(RCX, at(OUT))
        .add(EDX, AgentProtocol.HEAD)
        .call(writeExactly)
        .jmp(loop);
    hello(hello);
    resolve(resolve);
    calls(calls);
    memory(peek, poke);
    otherMemory(read, write);
    a.bind(exit).cmp(RBP, 4).jb(misunderstood).mov(ECX, ptr(RSI));
    a.call(imported("ExitProcess")).int3();
    a.bind(over).xor(ECX, ECX).call(imported("ExitProcess")).int3();
    guardedCall();
    transfers();
    a.bind(copy)
        .push(RSI)
        .push(RDI)
        .mov(RDI, RCX)
        .mov(RSI, RDX)
        .mov(RCX, R8)
        .rep()
        .movsb()
        .pop(RDI)
        .pop(RSI)
        .ret();
  }

  private void handle(int which, int cell) {
    a.mov(ECX, which).call(imported("GetStdHandle")).mov(at(cell), RAX);
  }

  private Label choose(int operation, String name) {
    Label label = a.label(name);
    a.cmp(EAX, operation).je(label);
    return label;
  }

  private void hello(Label begin) {
    a.bind(begin)
        .mov(at(DATA).as32(), AgentProtocol.VERSION)
        .mov(EAX, gs(0x40))
        .mov(at(DATA + 4), EAX)
        .lea(RAX, at(SCRATCH_AT))
        .mov(at(DATA + 8), RAX)
        .mov(at(DATA + 16).as32(), SCRATCH)
        .mov(at(DATA + 20).as32(), MachineType.AMD64)
        .mov(at(DATA_LENGTH).as32(), 24)
        .jmp(answer);
  }

  /** Resolves a function from two texts with their NULs; the last byte has to be the second one. */
  private void resolve(Label begin) {
    Label next = a.label("next character");
    a.bind(begin)
        .test(RBP, RBP)
        .jz(misunderstood)
        .cmp(ptr(RSI).index(RBP, 1).plus(-1).as8(), 0)
        .jne(misunderstood)
        .mov(RBX, RSI)
        .lea(R12, ptr(RSI).index(RBP, 1))
        .bind(next)
        .add(RBX, 1)
        .cmp(RBX, R12)
        .jae(misunderstood)
        .cmp(ptr(RBX).plus(-1).as8(), 0)
        .jne(next);
    a.mov(at(ARGUMENTS), RSI);
    guard("LoadLibraryA", 1);
    a.test(RAX, RAX).jz(answer);
    a.mov(at(ARGUMENTS), RAX).mov(at(ARGUMENTS + 8), RBX);
    guard("GetProcAddress", 2);
    a.jmp(answer);
  }

  /**
   * Calls an imported function with the prepared arguments; its outcome is the answer's, and rax.
   */
  private void guard(String function, int arguments) {
    a.mov(RCX, imported(function));
    guardAddress(arguments);
  }

  private void guardAddress(int arguments) {
    a.lea(RDX, at(ARGUMENTS)).mov(R8D, arguments).lea(R9, at(RESULT)).call(guarded);
    a.mov(RAX, at(RESULT));
  }

  /**
   * Runs a batch: rsi the next call, r12 the end of the payload, r13 the number of the next call,
   * r14 their count, rdi where its outcome goes, ebx whether the batch has ended.
   */
  private void calls(Label begin) {
    Label next = a.label("next call");
    Label argument = a.label("next argument");
    Label plain = a.label("no reference");
    Label make = a.label("make the call");
    Label made = a.label("made");
    Label notZero = a.label("not zero");
    Label end = a.label("end of batch");
    a.bind(begin).cmp(RBP, 8).jb(misunderstood);
    a.lea(R12, ptr(RSI).index(RBP, 1)).mov(R14D, ptr(RSI));
    a.cmp(R14, AgentProtocol.MAX_CALLS).ja(misunderstood);
    a.add(RSI, 8).xor(R13D, R13D);
    a.xor(EBX, EBX);
    a.lea(RDI, at(DATA));
    a.bind(next).cmp(R13, R14).jae(end);
    a.lea(RAX, ptr(RSI).plus(16)).cmp(RAX, R12).ja(misunderstood);
    a.mov(R8D, ptr(RSI).plus(8)).cmp(R8D, AgentProtocol.MAX_ARGUMENTS).ja(misunderstood);
    a.lea(RAX, ptr(RAX).index(R8, 8)).cmp(RAX, R12).ja(misunderstood);
    a.test(EBX, EBX);
    a.mov(RAX, 0L).mov(ptr(RDI), RAX);
    a.mov(ptr(RDI).plus(8).as32(), 0).mov(ptr(RDI).plus(12).as32(), AgentProtocol.SKIPPED);
    a.jnz(made);
    // References become what they refer to.
    a.xor(ECX, ECX);
    a.bind(argument).cmp(ECX, R8D).jae(make);
    a.mov(EAX, ptr(RSI).plus(12)).shr(EAX, 8).bt(EAX, ECX).jnc(plain);
    a.mov(EAX, ptr(RSI).index(RCX, 8).plus(16)).cmp(RAX, R13).jae(misunderstood);
    a.movsxd(RDX, ptr(RSI).index(RCX, 8).plus(20).as32()).shl(RAX, 4);
    a.lea(R10, at(DATA)).add(RDX, ptr(R10).index(RAX, 1));
    a.mov(ptr(RSI).index(RCX, 8).plus(16), RDX);
    a.bind(plain).inc(ECX).jmp(argument);
    a.bind(make).mov(RCX, ptr(RSI)).lea(RDX, ptr(RSI).plus(16)).mov(R9, RDI).call(guarded);
    a.mov(RAX, ptr(RDI)).mov(ECX, ptr(RSI).plus(12));
    a.test(ECX, AgentProtocol.STOP_AT_ZERO).jz(notZero).test(RAX, RAX).jnz(notZero);
    a.inc(EBX);
    a.bind(notZero).test(ECX, AgentProtocol.STOP_AT_ERROR).jz(made).test(EAX, EAX).jns(made);
    a.inc(EBX);
    a.bind(made).mov(EAX, ptr(RSI).plus(8)).lea(RSI, ptr(RSI).index(RAX, 8).plus(16));
    a.add(RDI, 16).inc(R13).jmp(next);
    a.bind(end).shl(R14, 4);
    a.mov(at(DATA_LENGTH), R14D).jmp(answer);
  }

  /** Reads and writes the agent's own memory. */
  private void memory(Label peek, Label poke) {
    a.bind(peek).cmp(RBP, 12).jb(misunderstood);
    a.mov(R12D, ptr(RSI).plus(8)).cmp(R12D, AgentProtocol.MAX_BYTES).ja(misunderstood);
    a.lea(RAX, at(DATA)).mov(at(ARGUMENTS), RAX);
    a.mov(RAX, ptr(RSI)).mov(at(ARGUMENTS + 8), RAX).mov(at(ARGUMENTS + 16), R12);
    a.lea(RCX, ptr(copy));
    guardAddress(3);
    a.cmp(at(STATUS).as32(), AgentProtocol.DONE).jne(answer);
    a.mov(at(DATA_LENGTH), R12D).jmp(answer);
    a.bind(poke).sub(RBP, 8).jb(misunderstood);
    a.mov(RAX, ptr(RSI)).mov(at(ARGUMENTS), RAX).add(RSI, 8).mov(at(ARGUMENTS + 8), RSI);
    a.mov(at(ARGUMENTS + 16), RBP).lea(RCX, ptr(copy));
    guardAddress(3);
    a.jmp(answer);
  }

  /** Reads and writes memory of other processes. */
  private void otherMemory(Label read, Label write) {
    Label fits = a.label("fits");
    a.bind(read).cmp(RBP, 20).jb(misunderstood);
    a.mov(R12D, ptr(RSI).plus(16)).cmp(R12D, AgentProtocol.MAX_BYTES).ja(misunderstood);
    a.lea(RAX, at(DATA)).mov(at(ARGUMENTS + 16), RAX).mov(at(ARGUMENTS + 24), R12);
    transferArguments();
    guard("ReadProcessMemory", 5);
    a.mov(RAX, at(MOVED)).cmp(RAX, R12).jbe(fits).xor(EAX, EAX);
    a.bind(fits).mov(at(DATA_LENGTH), EAX).jmp(answer);
    a.bind(write).sub(RBP, 16).jb(misunderstood);
    a.lea(RAX, ptr(RSI).plus(16)).mov(at(ARGUMENTS + 16), RAX).mov(at(ARGUMENTS + 24), RBP);
    transferArguments();
    guard("WriteProcessMemory", 5);
    a.jmp(answer);
  }

  private void transferArguments() {
    a.mov(RAX, ptr(RSI)).mov(at(ARGUMENTS), RAX);
    a.mov(RAX, ptr(RSI).plus(8)).mov(at(ARGUMENTS + 8), RAX);
    a.lea(RAX, at(MOVED)).mov(at(ARGUMENTS + 32), RAX).mov(at(MOVED).as64(), 0);
  }

  /**
   * Makes a call: rcx the function, rdx its arguments, r8d their number, r9 where result, last
   * error and status go. Its handler ends it with the code of the exception.
   */
  private void guardedCall() {
    Label next = a.label("next stack argument");
    Label registers = a.label("register arguments");
    Label out = a.label("out");
    Label search = a.label("search on");
    a.bind(guarded).push(RBX).push(RSI).push(RDI).sub(RSP, FRAME);
    a.mov(RBX, R9).mov(RAX, RCX).mov(R11, RDX).mov(R10D, 4);
    a.bind(next).cmp(R10D, R8D).jae(registers);
    a.mov(RCX, ptr(R11).index(R10, 8)).mov(ptr(RSP).index(R10, 8), RCX).inc(R10D).jmp(next);
    a.bind(registers).mov(gs(LAST_ERROR).as32(), 0);
    a.mov(RCX, ptr(R11)).mov(RDX, ptr(R11).plus(8));
    a.mov(R8, ptr(R11).plus(16)).mov(R9, ptr(R11).plus(24));
    a.call(RAX);
    a.mov(ptr(RBX), RAX).mov(EAX, gs(LAST_ERROR)).mov(ptr(RBX).plus(8), EAX);
    a.mov(ptr(RBX).plus(12).as32(), AgentProtocol.DONE);
    a.bind(out).add(RSP, FRAME).pop(RDI).pop(RSI).pop(RBX).ret();
    a.bind(recover).mov(ptr(RBX), RAX).mov(ptr(RBX).plus(8).as32(), 998);
    a.mov(ptr(RBX).plus(12).as32(), AgentProtocol.FAULT).jmp(out);
    a.bind(guardedEnd);
    a.bind(handler).sub(RSP, 0x28);
    a.test(ptr(RCX).plus(4).as32(), UNWINDING).jnz(search);
    // Errors only: information and warnings are not ours.
    a.mov(R9D, ptr(RCX)).mov(EAX, R9D).shr(EAX, 30).cmp(EAX, 3).jne(search);
    a.mov(R8, RCX).mov(RCX, RDX).lea(RDX, ptr(recover)).call(imported("RtlUnwind"));
    a.bind(search).mov(EAX, 1).add(RSP, 0x28).ret();
  }

  /** Transfers all bytes or ends: rcx the address, edx their number. */
  private void transfers() {
    transfer(readExactly, "ReadFile", INPUT_HANDLE);
    transfer(writeExactly, "WriteFile", OUTPUT_HANDLE);
  }

  private void transfer(Label begin, String function, int handle) {
    Label next = a.label("next piece");
    Label done = a.label("done");
    a.bind(begin).push(RBX).push(RSI).push(RDI).push(RBP).sub(RSP, 0x38);
    a.mov(RSI, RCX).mov(EDX, EDX).mov(RDI, RDX);
    a.bind(next).test(RDI, RDI).jz(done);
    a.mov(RCX, at(handle)).mov(RDX, RSI).mov(R8, RDI).lea(R9, at(MOVED));
    a.mov(at(MOVED).as64(), 0).mov(ptr(RSP).plus(32).as64(), 0).call(imported(function));
    a.test(EAX, EAX).jz(over).mov(EAX, at(MOVED)).test(EAX, EAX).jz(over);
    a.add(RSI, RAX).sub(RDI, RAX).jmp(next);
    a.bind(done).add(RSP, 0x38).pop(RBP).pop(RDI).pop(RSI).pop(RBX).ret();
  }
}
