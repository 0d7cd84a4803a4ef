package io.ntrail.live.agent;

import static io.ntrail.programs.x86.asm.operands.Mem.absolute;
import static io.ntrail.programs.x86.asm.operands.Mem.fs;
import static io.ntrail.programs.x86.asm.operands.Mem.ptr;
import static io.ntrail.programs.x86.asm.operands.Reg32.EAX;
import static io.ntrail.programs.x86.asm.operands.Reg32.EBP;
import static io.ntrail.programs.x86.asm.operands.Reg32.EBX;
import static io.ntrail.programs.x86.asm.operands.Reg32.ECX;
import static io.ntrail.programs.x86.asm.operands.Reg32.EDI;
import static io.ntrail.programs.x86.asm.operands.Reg32.EDX;
import static io.ntrail.programs.x86.asm.operands.Reg32.ESI;
import static io.ntrail.programs.x86.asm.operands.Reg32.ESP;

import io.ntrail.formats.pe.MachineType;
import io.ntrail.formats.pe.build.PeBuilder;
import io.ntrail.programs.x86.asm.AssembledCode;
import io.ntrail.programs.x86.asm.Assembler;
import io.ntrail.programs.x86.asm.operands.Label;
import io.ntrail.programs.x86.asm.operands.Mem;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;

/**
 * Executable of the agent for 32-bit Windows, generated here: the twin of {@link AgentImage}, with
 * the same protocol.
 *
 * <p>Arguments are the low 32 bits of those in requests, and are pushed from right to left; the
 * stack pointer is restored after a call, so that functions of both stdcall and cdecl can be
 * called. An address in a request that has more than 32 bits is that of no memory. The file has no
 * relocations: a program is the first that gets its base.
 */
final class AgentImage32 {
  private static final long BASE = 0x40_0000L;
  private static final int PAGE = 0x1000;
  private static final int SCRATCH = 0x4_0000;

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

  // Offsets in the thread environment block.
  private static final int HANDLERS = 0;
  private static final int PROCESS_ID = 0x20;
  private static final int LAST_ERROR = 0x34;

  /** Flags of an exception record: the stack is being unwound. */
  private static final int UNWINDING = 0x66;

  private static final int ACCESS_VIOLATION = 0xC000_0005;

  /** ERROR_NOACCESS. */
  private static final int NO_ACCESS = 998;

  private static final int IN = 0;
  private static final int OUT = IN + AgentProtocol.MAX_PAYLOAD + 0x100;
  private static final int SCRATCH_AT = OUT + AgentProtocol.MAX_PAYLOAD + 0x200 & ~0xFFF;
  private static final int CELLS = SCRATCH_AT + SCRATCH;
  private static final int INPUT_HANDLE = CELLS;
  private static final int OUTPUT_HANDLE = CELLS + 4;
  private static final int DATA_LENGTH = CELLS + 8;
  private static final int MOVED = CELLS + 12;

  /** End of the payload of a batch, number of its calls, of the next one, and whether it ended. */
  private static final int LIMIT = CELLS + 16;

  private static final int COUNT = CELLS + 20;
  private static final int NUMBER = CELLS + 24;
  private static final int ENDED = CELLS + 28;

  /** Arguments of an imported function, 64 bits each as in requests. */
  private static final int ARGUMENTS = CELLS + 64;

  private static final int END = ARGUMENTS + 8 * AgentProtocol.MAX_ARGUMENTS;

  // Of the answer in the output buffer.
  private static final int RESULT = OUT + 8;
  private static final int ERROR = OUT + 16;
  private static final int STATUS = OUT + 20;
  private static final int DATA = OUT + 24;

  /** Offset in the frame of a guarded call, behind the registration, of where its outcome goes. */
  private static final int OUTCOME = 8;

  private final Assembler a = Assembler.ia32();
  private final Map<String, Long> addresses;
  private final Label answer = a.label("answer");
  private final Label misunderstood = a.label("misunderstood");
  private final Label noMemory = a.label("no memory");
  private final Label guarded = a.label("guarded");
  private final Label recover = a.label("recover");
  private final Label handler = a.label("handler");
  private final Label copy = a.label("copy");
  private final Label readExactly = a.label("read exactly");
  private final Label writeExactly = a.label("write exactly");
  private final Label over = a.label("over");

  private AgentImage32(Map<String, Long> addresses) {
    this.addresses = addresses;
  }

  /** Returns the content of its file, which is always the same. */
  static byte[] file() {
    // Where the rest lies does not depend on the code, as that fits into its page.
    PeBuilder.Built draft = image(new byte[1]);
    Map<String, Long> addresses = new HashMap<>();
    for (String name : IMPORTS) {
      addresses.put(name, BASE + draft.rva("kernel32.dll!" + name));
    }
    addresses.put("buffers", BASE + draft.rva("buffers"));
    AgentImage32 image = new AgentImage32(addresses);
    image.write();
    AssembledCode code = image.a.assemble();
    if (code.length() > PAGE) {
      throw new IllegalStateException("the agent's code is longer than a page");
    }
    return image(code.bytesAt(BASE + PAGE)).file();
  }

  private static PeBuilder.Built image(byte[] code) {
    PeBuilder builder =
        PeBuilder.program(MachineType.I386).base(BASE).fixed().imports("kernel32.dll", IMPORTS);
    builder.code().label("main").bytes(code);
    builder.data().label("buffers").reserve(END);
    return builder.entry("main").build();
  }

  private long address(String name) {
    return Objects.requireNonNull(addresses.get(name), name);
  }

  private long place(int offset) {
    return address("buffers") + offset;
  }

  private Mem at(int offset) {
    return absolute(place(offset)).as32();
  }

  private Mem imported(String name) {
    return absolute(address(name)).as32();
  }

  private void write() {
    handle(-10, INPUT_HANDLE);
    handle(-11, OUTPUT_HANDLE);
    Label loop = a.here("loop");
    a.mov(ECX, place(IN)).mov(EDX, AgentProtocol.HEAD).call(readExactly);
    a.mov(EDX, at(IN)).cmp(EDX, AgentProtocol.MAX_PAYLOAD).ja(over);
    a.mov(ECX, place(IN + AgentProtocol.HEAD)).call(readExactly);
    a.xor(EAX, EAX).mov(at(RESULT), EAX).mov(at(RESULT + 4), EAX).mov(at(ERROR), EAX);
    a.mov(at(STATUS), EAX).mov(at(DATA_LENGTH), EAX);
    // Where every operation begins: esi at the payload, ebp its length.
    a.mov(ESI, place(IN + AgentProtocol.HEAD)).mov(EBP, at(IN));
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
        .mov(at(STATUS), AgentProtocol.MISUNDERSTOOD)
        .mov(at(DATA_LENGTH), 0)
        .bind(answer)
        .mov(EDX, at(DATA_LENGTH))
        .add(EDX, AgentProtocol.ANSWER_HEAD)
        .mov(at(OUT), EDX)
        .mov(EAX, at(IN + 4))
        .or(EAX, AgentProtocol.ANSWER)
        .mov(at(OUT + 4), EAX)
        .mov(ECX, place(OUT))
        .add(EDX, AgentProtocol.HEAD)
        .call(writeExactly)
        .jmp(loop);
    a.bind(noMemory).mov(EDI, place(RESULT));
    fault();
    a.jmp(answer);
    hello(hello);
    resolve(resolve);
    calls(calls);
    memory(peek, poke);
    otherMemory(read, write);
    a.bind(exit).cmp(EBP, 4).jb(misunderstood).push(ptr(ESI).as32());
    a.call(imported("ExitProcess")).int3();
    a.bind(over).push(0).call(imported("ExitProcess")).int3();
    guardedCall();
    handler();
    transfer(readExactly, "ReadFile", INPUT_HANDLE);
    transfer(writeExactly, "WriteFile", OUTPUT_HANDLE);
    a.bind(copy).push(ESI).push(EDI);
    a.mov(EDI, ptr(ESP).plus(12)).mov(ESI, ptr(ESP).plus(16)).mov(ECX, ptr(ESP).plus(20));
    a.rep().movsb().pop(EDI).pop(ESI).ret();
  }

  private void handle(int which, int cell) {
    a.push(which).call(imported("GetStdHandle")).mov(at(cell), EAX);
  }

  private Label choose(int operation, String name) {
    Label label = a.label(name);
    a.cmp(EAX, operation).je(label);
    return label;
  }

  private void hello(Label begin) {
    a.bind(begin).mov(at(DATA), AgentProtocol.VERSION).mov(EAX, fs(PROCESS_ID));
    a.mov(at(DATA + 4), EAX).mov(at(DATA + 8), place(SCRATCH_AT)).mov(at(DATA + 12), 0);
    a.mov(at(DATA + 16), SCRATCH).mov(at(DATA + 20), MachineType.I386);
    a.mov(at(DATA_LENGTH), 24).jmp(answer);
  }

  /** Resolves a function from two texts with their NULs; the last byte has to be the second one. */
  private void resolve(Label begin) {
    Label next = a.label("next character");
    a.bind(begin).test(EBP, EBP).jz(misunderstood);
    a.cmp(ptr(ESI).index(EBP, 1).plus(-1).as8(), 0).jne(misunderstood);
    a.mov(EDI, ESI).lea(EBP, ptr(ESI).index(EBP, 1));
    a.bind(next).add(EDI, 1).cmp(EDI, EBP).jae(misunderstood);
    a.cmp(ptr(EDI).plus(-1).as8(), 0).jne(next);
    a.mov(at(ARGUMENTS), ESI);
    guard("LoadLibraryA", 1);
    a.test(EAX, EAX).jz(answer).mov(at(ARGUMENTS), EAX).mov(at(ARGUMENTS + 8), EDI);
    guard("GetProcAddress", 2);
    a.jmp(answer);
  }

  /**
   * Calls an imported function with the prepared arguments; its outcome is the answer's, and eax.
   */
  private void guard(String function, int arguments) {
    a.mov(ECX, imported(function));
    guardAddress(arguments);
  }

  private void guardAddress(int arguments) {
    a.mov(EDX, place(ARGUMENTS)).mov(EBX, arguments).mov(EAX, place(RESULT)).call(guarded);
    a.mov(at(RESULT + 4), 0).mov(EAX, at(RESULT));
  }

  /** Runs a batch: esi the next call, edi where its outcome goes, ebx the number of arguments. */
  private void calls(Label begin) {
    Label next = a.label("next call");
    Label argument = a.label("next argument");
    Label plain = a.label("no reference");
    Label make = a.label("make the call");
    Label possible = a.label("possible");
    Label whole = a.label("whole result");
    Label made = a.label("made");
    Label notZero = a.label("not zero");
    Label end = a.label("end of batch");
    a.bind(begin).cmp(EBP, 8).jb(misunderstood);
    a.lea(EAX, ptr(ESI).index(EBP, 1)).mov(at(LIMIT), EAX).mov(EAX, ptr(ESI));
    a.cmp(EAX, AgentProtocol.MAX_CALLS).ja(misunderstood).mov(at(COUNT), EAX);
    a.add(ESI, 8).mov(at(NUMBER), 0).mov(at(ENDED), 0).mov(EDI, place(DATA));
    a.bind(next).mov(EAX, at(NUMBER)).cmp(EAX, at(COUNT)).jae(end);
    a.lea(EAX, ptr(ESI).plus(16)).cmp(EAX, at(LIMIT)).ja(misunderstood);
    a.mov(EBX, ptr(ESI).plus(8)).cmp(EBX, AgentProtocol.MAX_ARGUMENTS).ja(misunderstood);
    a.lea(EAX, ptr(EAX).index(EBX, 8)).cmp(EAX, at(LIMIT)).ja(misunderstood);
    outcome(0, 0, AgentProtocol.SKIPPED);
    a.cmp(at(ENDED), 0).jne(made);
    // References become what they refer to.
    a.xor(ECX, ECX);
    a.bind(argument).cmp(ECX, EBX).jae(make);
    a.mov(EAX, ptr(ESI).plus(12)).shr(EAX, 8).bt(EAX, ECX).jnc(plain);
    a.mov(EAX, ptr(ESI).index(ECX, 8).plus(16)).cmp(EAX, at(NUMBER)).jae(misunderstood);
    a.shl(EAX, 4).mov(EDX, ptr(ESI).index(ECX, 8).plus(20));
    a.add(EDX, ptr(EAX).plus(place(DATA))).mov(ptr(ESI).index(ECX, 8).plus(16), EDX);
    a.bind(plain).inc(ECX).jmp(argument);
    a.bind(make).cmp(ptr(ESI).plus(4).as32(), 0).je(possible);
    fault();
    a.jmp(whole);
    a.bind(possible).mov(ECX, ptr(ESI)).lea(EDX, ptr(ESI).plus(16)).mov(EAX, EDI).call(guarded);
    a.test(ptr(ESI).plus(12).as32(), AgentProtocol.WHOLE_RESULT).jnz(whole);
    a.mov(ptr(EDI).plus(4).as32(), 0);
    a.bind(whole).mov(ECX, ptr(ESI).plus(12)).mov(EAX, ptr(EDI));
    a.test(ECX, AgentProtocol.STOP_AT_ZERO).jz(notZero);
    a.mov(EDX, EAX).or(EDX, ptr(EDI).plus(4)).jnz(notZero).inc(at(ENDED));
    a.bind(notZero).test(ECX, AgentProtocol.STOP_AT_ERROR).jz(made).test(EAX, EAX).jns(made);
    a.inc(at(ENDED));
    a.bind(made).mov(EAX, ptr(ESI).plus(8)).lea(ESI, ptr(ESI).index(EAX, 8).plus(16));
    a.add(EDI, 16).inc(at(NUMBER)).jmp(next);
    a.bind(end).mov(EAX, at(COUNT)).shl(EAX, 4).mov(at(DATA_LENGTH), EAX).jmp(answer);
  }

  /** Writes the outcome of a call to edi. */
  private void outcome(int result, int error, int status) {
    a.mov(ptr(EDI).as32(), result).mov(ptr(EDI).plus(4).as32(), 0);
    a.mov(ptr(EDI).plus(8).as32(), error).mov(ptr(EDI).plus(12).as32(), status);
  }

  /** Writes to edi that there is no memory at an address. */
  private void fault() {
    outcome(ACCESS_VIOLATION, NO_ACCESS, AgentProtocol.FAULT);
  }

  /** Reads and writes the agent's own memory. */
  private void memory(Label peek, Label poke) {
    Label done = a.label("peeked");
    a.bind(peek).cmp(EBP, 12).jb(misunderstood);
    a.mov(EDI, ptr(ESI).plus(8)).cmp(EDI, AgentProtocol.MAX_BYTES).ja(misunderstood);
    a.cmp(ptr(ESI).plus(4).as32(), 0).jne(noMemory);
    a.mov(at(ARGUMENTS), place(DATA)).mov(EAX, ptr(ESI)).mov(at(ARGUMENTS + 8), EAX);
    a.mov(at(ARGUMENTS + 16), EDI).mov(ECX, copy);
    guardAddress(3);
    a.cmp(at(STATUS), AgentProtocol.DONE).jne(done).mov(at(DATA_LENGTH), EDI);
    a.bind(done).jmp(answer);
    a.bind(poke).sub(EBP, 8).jb(misunderstood).cmp(ptr(ESI).plus(4).as32(), 0).jne(noMemory);
    a.mov(EAX, ptr(ESI)).mov(at(ARGUMENTS), EAX).add(ESI, 8).mov(at(ARGUMENTS + 8), ESI);
    a.mov(at(ARGUMENTS + 16), EBP).mov(ECX, copy);
    guardAddress(3);
    a.jmp(answer);
  }

  /** Reads and writes memory of other processes. */
  private void otherMemory(Label read, Label write) {
    Label fits = a.label("fits");
    a.bind(read).cmp(EBP, 20).jb(misunderstood);
    a.mov(EDI, ptr(ESI).plus(16)).cmp(EDI, AgentProtocol.MAX_BYTES).ja(misunderstood);
    a.mov(at(ARGUMENTS + 16), place(DATA)).mov(at(ARGUMENTS + 24), EDI);
    transferArguments();
    guard("ReadProcessMemory", 5);
    a.mov(EAX, at(MOVED)).cmp(EAX, EDI).jbe(fits).xor(EAX, EAX);
    a.bind(fits).mov(at(DATA_LENGTH), EAX).jmp(answer);
    a.bind(write).sub(EBP, 16).jb(misunderstood);
    a.lea(EAX, ptr(ESI).plus(16)).mov(at(ARGUMENTS + 16), EAX).mov(at(ARGUMENTS + 24), EBP);
    transferArguments();
    guard("WriteProcessMemory", 5);
    a.jmp(answer);
  }

  private void transferArguments() {
    a.cmp(ptr(ESI).plus(12).as32(), 0).jne(noMemory);
    a.mov(EAX, ptr(ESI)).mov(at(ARGUMENTS), EAX);
    a.mov(EAX, ptr(ESI).plus(8)).mov(at(ARGUMENTS + 8), EAX);
    a.mov(at(ARGUMENTS + 32), place(MOVED)).mov(at(MOVED), 0);
  }

  /**
   * Makes a call: ecx the function, edx its arguments, 64 bits each, ebx their number, eax where
   * result, last error and status go. The frame below the saved registers is the registration of
   * the handler (the next one, its address), then the address of the outcome.
   */
  private void guardedCall() {
    Label next = a.label("next argument to push");
    Label out = a.label("out");
    Label all = a.label("all pushed");
    a.bind(guarded).push(EBP).push(EBX).push(ESI).push(EDI);
    a.push(EAX).push(handler).push(fs(HANDLERS).as32()).mov(fs(HANDLERS), ESP).mov(EBP, ESP);
    a.bind(next).sub(EBX, 1).js(all).push(ptr(EDX).index(EBX, 8).as32()).jmp(next);
    a.bind(all).mov(fs(LAST_ERROR).as32(), 0).call(ECX).mov(ESP, EBP);
    a.mov(ECX, ptr(EBP).plus(OUTCOME)).mov(ptr(ECX), EAX).mov(ptr(ECX).plus(4), EDX);
    a.mov(EAX, fs(LAST_ERROR)).mov(ptr(ECX).plus(8), EAX);
    a.mov(ptr(ECX).plus(12).as32(), AgentProtocol.DONE);
    a.bind(out).pop(fs(HANDLERS).as32()).add(ESP, 8).pop(EDI).pop(ESI).pop(EBX).pop(EBP).ret();
    // With esp and ebp at the registration, and the code of the exception in eax.
    a.bind(recover).cld().mov(ECX, ptr(EBP).plus(OUTCOME)).mov(ptr(ECX), EAX);
    a.mov(ptr(ECX).plus(4).as32(), 0).mov(ptr(ECX).plus(8).as32(), NO_ACCESS);
    a.mov(ptr(ECX).plus(12).as32(), AgentProtocol.FAULT).jmp(out);
  }

  /** Ends a call with the code of the exception: its arguments are the record and the frame. */
  private void handler() {
    Label search = a.label("search on");
    a.bind(handler).mov(EAX, ptr(ESP).plus(4)).test(ptr(EAX).plus(4).as32(), UNWINDING).jnz(search);
    // Errors only: information and warnings are not ours.
    a.mov(ECX, ptr(EAX)).shr(ECX, 30).cmp(ECX, 3).jne(search);
    a.mov(ECX, ptr(ESP).plus(8));
    a.push(0).push(EAX).push(recover).push(ECX).call(imported("RtlUnwind"));
    // Systems differ in the registers that this call preserves.
    a.mov(EAX, ptr(ESP).plus(4)).mov(EAX, ptr(EAX)).mov(EBP, ptr(ESP).plus(8)).mov(ESP, EBP);
    a.jmp(recover);
    a.bind(search).mov(EAX, 1).ret();
  }

  /** Transfers all bytes or ends: ecx the address, edx their number. */
  private void transfer(Label begin, String function, int handle) {
    Label next = a.label("next piece");
    Label done = a.label("done");
    a.bind(begin).push(ESI).push(EDI).mov(ESI, ECX).mov(EDI, EDX);
    a.bind(next).test(EDI, EDI).jz(done).mov(at(MOVED), 0);
    a.push(0).push(place(MOVED)).push(EDI).push(ESI).push(at(handle)).call(imported(function));
    a.test(EAX, EAX).jz(over).mov(EAX, at(MOVED)).test(EAX, EAX).jz(over);
    a.add(ESI, EAX).sub(EDI, EAX).jmp(next);
    a.bind(done).pop(EDI).pop(ESI).ret();
  }
}
