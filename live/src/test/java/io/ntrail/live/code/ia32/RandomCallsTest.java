package io.ntrail.live.code.ia32;

import static io.ntrail.programs.x86.asm.operands.Mem.absolute;
import static io.ntrail.programs.x86.asm.operands.Mem.ptr;
import static io.ntrail.programs.x86.asm.operands.Mem.scaled;
import static io.ntrail.programs.x86.asm.operands.Reg32.EAX;
import static io.ntrail.programs.x86.asm.operands.Reg32.EBP;
import static io.ntrail.programs.x86.asm.operands.Reg32.EBX;
import static io.ntrail.programs.x86.asm.operands.Reg32.ECX;
import static io.ntrail.programs.x86.asm.operands.Reg32.EDI;
import static io.ntrail.programs.x86.asm.operands.Reg32.EDX;
import static io.ntrail.programs.x86.asm.operands.Reg32.ESI;
import static io.ntrail.programs.x86.asm.operands.Reg32.ESP;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.ntrail.analysis.calls.CallCounts;
import io.ntrail.analysis.calls.CallEnd;
import io.ntrail.analysis.calls.CallRecording;
import io.ntrail.analysis.calls.CallWalk;
import io.ntrail.formats.bytes.BytesBuilder;
import io.ntrail.live.code.SessionLayout;
import io.ntrail.live.code.TracedCode;
import io.ntrail.live.code.UnwindProbes;
import io.ntrail.live.code.ia32.TracedMachine.Record;
import io.ntrail.live.code.ia32.TracedMachine.Settings;
import io.ntrail.programs.x86.asm.AssembledCode;
import io.ntrail.programs.x86.asm.Assembler;
import io.ntrail.programs.x86.asm.operands.Imm;
import io.ntrail.programs.x86.asm.operands.Label;
import io.ntrail.testkit.Property;
import io.ntrail.testkit.Property.Gen;
import io.ntrail.testkit.unicorn.UnicornMachine;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Random programs of calls, returns, tail calls that move the return address, and long jumps: they
 * do what they do untraced, their records add up, and readers find the calls that were made.
 */
class RandomCallsTest {
  private static final int RUNS = 60;
  private static final int STEPS = 600;
  private static final int DEEPEST = 40;

  /** Bytes of arguments that each function removes. */
  private static final int[] ARGUMENTS = {0, 4, 8, 12, 20, 48};

  private static final long SCRIPT = TracedMachine.PROGRAM + 0xA000;
  private static final long MARKS = TracedMachine.PROGRAM + 0x8000;
  private static final long LEVEL = TracedMachine.PROGRAM + 0x7FF0;

  // Steps of a script; of the first two there is one for each function.
  private static final int CALL = 0;
  private static final int TAIL = CALL + ARGUMENTS.length;
  private static final int RETURN = TAIL + ARGUMENTS.length;
  private static final int SET = RETURN + 1;
  private static final int UNSET = SET + 1;
  private static final int JUMP = UNSET + 1;
  private static final int ALL = JUMP + 1;

  private static final long PROBE = TracedMachine.STUBS + 0x8000;

  /** Bytes of a mark: Ebp, Ebx, Edi, Esi, Esp, Eip, as a C runtime keeps them. */
  private static final int MARK = 24;

  /** The bytes at the beginning of the long jump that a jump overwrites: three instructions. */
  private static final int UNIT = 9;

  @TempDir Path folder;

  /** A program that follows a script: esi is its next step. */
  private static final class Follower {
    final Assembler a = Assembler.ia32();
    final Label begin = a.label("begin");
    final Label longJump = a.label("long jump");
    final Label[] functions = new Label[ARGUMENTS.length];

    AssembledCode assemble() {
      for (int i = 0; i < functions.length; i++) {
        functions[i] = a.label("function " + i);
      }
      for (int i = 0; i < functions.length; i++) {
        function(i);
      }
      a.bind(longJump).push(EBP).mov(EBP, ESP).lea(ESP, ptr(ESP).plus(-16)).nop(2);
      a.mov(ECX, ptr(EBP).plus(8)).mov(ESP, ptr(ECX).plus(16)).lea(ESP, ptr(ESP).plus(12));
      a.mov(EBP, ptr(ECX)).jmp(ptr(ECX).plus(20).as32());
      a.bind(begin).mov(ESI, SCRIPT).push(EBX).call(functions[0]).pop(EBX).ret();
      return a.assemble();
    }

    private void function(int number) {
      Label table = a.label();
      Label loop = a.label();
      Label[] steps = new Label[ALL];
      a.nop(5).bind(functions[number]).mov(EDI, EDI).push(EBP).mov(EBP, ESP).sub(ESP, 8);
      // The arguments go into the result, so that every instruction after the return shows them.
      if (ARGUMENTS[number] > 0) {
        a.add(EAX, ptr(EBP).plus(4 + ARGUMENTS[number]));
      }
      a.bind(loop).op("movzx", EDX, ptr(ESI).as8());
      a.inc(ESI).jmp(scaled(EDX, 4).plus(table).as32());
      for (int i = 0; i < ALL; i++) {
        steps[i] = a.here("step " + i);
        step(number, i, loop);
      }
      a.bind(table);
      for (Label step : steps) {
        a.dd(step);
      }
    }

    private void step(int number, int step, Label loop) {
      if (step < TAIL) {
        for (int i = 0; i < ARGUMENTS[step - CALL] / 4; i++) {
          a.push(7 * i + number);
        }
        a.call(functions[step - CALL]).lea(EAX, ptr(EAX).plus(step)).jmp(loop);
      } else if (step < RETURN) {
        int moved = ARGUMENTS[number] - ARGUMENTS[step - TAIL];
        a.mov(ESP, EBP).pop(EBP).pop(EDX).lea(ESP, ptr(ESP).plus(moved)).push(EDX);
        // Where the return address was may be an argument now.
        for (int i = 0; i < ARGUMENTS[step - TAIL] / 4; i++) {
          a.mov(ptr(ESP).plus(4L + 4L * i).as32(), 5 * i + number);
        }
        a.jmp(functions[step - TAIL]);
      } else if (step == RETURN) {
        a.mov(ESP, EBP).pop(EBP).ret(ARGUMENTS[number]);
      } else if (step == SET) {
        // As if setjmp had been called: at its entry, two arguments lie above its return address.
        a.mov(ECX, absolute(LEVEL)).lea(EDX, ptr(ESP).plus(-12));
        a.mov(ptr(ECX).plus(MARKS + 20).as32(), Imm.address(loop));
        a.mov(ptr(ECX).plus(MARKS), EBP).mov(ptr(ECX).plus(MARKS + 16), EDX);
        a.add(absolute(LEVEL).as32(), MARK).jmp(loop);
      } else if (step == UNSET) {
        a.sub(absolute(LEVEL).as32(), MARK).jmp(loop);
      } else {
        a.sub(absolute(LEVEL).as32(), MARK).mov(ECX, absolute(LEVEL));
        // Deeper than any function that the frame calls which it goes to: that this one is not
        // called by what is left shows by its place alone.
        a.lea(ESP, ptr(ESP).plus(-64));
        a.lea(ECX, ptr(ECX).plus(MARKS)).push(1).push(ECX).call(longJump);
      }
    }
  }

  /** A call of the script's program, and how it ended. */
  private static final class Call {
    final int function;
    final int depth;
    CallEnd end = CallEnd.RETURN;

    Call(int function, int depth) {
      this.function = function;
      this.depth = depth;
    }

    @Override
    public String toString() {
      return depth + " " + function + " " + end;
    }
  }

  /** A frame of the script's program: functions that it is of, by tail calls. */
  private static final class Frame {
    final List<Call> calls = new ArrayList<>();
    int marks;
  }

  /** A script, and what its program does. */
  private static final class Script {
    final ByteArrayOutputStream steps = new ByteArrayOutputStream();
    final Deque<Frame> frames = new ArrayDeque<>();
    final List<Call> calls = new ArrayList<>();
    int left;

    Script(Gen gen) {
      frames.push(new Frame());
      call(0);
      for (int i = gen.below(STEPS); i > 0; i--) {
        step(gen);
      }
      while (!frames.isEmpty()) {
        ending();
      }
    }

    private void call(int function) {
      int depth = frames.stream().mapToInt(frame -> frame.calls.size()).sum();
      Call call = new Call(function, depth);
      frames.element().calls.add(call);
      calls.add(call);
    }

    private void ending() {
      Frame top = frames.element();
      for (; top.marks > 0; top.marks--) {
        steps.write(UNSET);
      }
      steps.write(RETURN);
      frames.pop();
    }

    private void step(Gen gen) {
      Frame top = frames.element();
      int choice = gen.below(12);
      int marks = frames.stream().mapToInt(frame -> frame.marks).sum();
      int other = gen.below(ARGUMENTS.length);
      if (choice < 5 && frames.size() < DEEPEST) {
        steps.write(CALL + other);
        frames.push(new Frame());
        call(other);
      } else if (choice < 7 && top.marks == 0 && top.calls.size() < 5) {
        steps.write(TAIL + other);
        call(other);
      } else if (choice < 9 && top.marks == 0 && frames.size() > 1) {
        steps.write(RETURN);
        frames.pop();
      } else if (choice == 9 && marks < 50) {
        steps.write(SET);
        top.marks++;
      } else if (choice == 10 && top.marks > 0) {
        steps.write(UNSET);
        top.marks--;
      } else if (choice == 11 && marks > 0) {
        steps.write(JUMP);
        while (frames.element().marks == 0) {
          List<Call> of = frames.pop().calls;
          of.forEach(call -> call.end = CallEnd.UNWIND);
          left += of.size();
        }
        frames.element().marks--;
      }
    }
  }

  /** Pairs the records as a reader does: by slot; returns how many calls were left. */
  private static int abandoned(List<Record> records) {
    List<Record> open = new ArrayList<>();
    int left = 0;
    for (Record record : records) {
      int keep = record.kind() == SessionLayout.ENTRY ? record.slot() : record.slot() + 1;
      for (; open.size() > keep; left++) {
        open.removeLast();
      }
      if (record.kind() == SessionLayout.ENTRY) {
        assertEquals(record.slot(), open.size(), "slots are taken one after the other");
        open.add(record);
      } else {
        assertEquals(SessionLayout.EXIT, record.kind());
        Record entry = open.removeLast();
        assertEquals(entry.slot(), record.slot());
        assertEquals(entry.function(), record.function());
      }
    }
    assertTrue(open.isEmpty(), "all have returned at the end");
    return left;
  }

  @Test
  void programsDoTheSameAndEntriesAreExitsAndCallsThatWereLeft() throws IOException {
    Optional<UnicornMachine> made = UnicornMachine.in(folder, 32);
    assumeTrue(made.isPresent(), UnicornMachine.MISSING);
    Follower follower = new Follower();
    AssembledCode program = follower.assemble();
    int[] traced = new int[follower.functions.length];
    for (int i = 0; i < traced.length; i++) {
      traced[i] = program.offset(follower.functions[i]);
    }
    try (UnicornMachine machine = made.get()) {
      Property.check(
          RUNS,
          gen -> {
            Script script = new Script(gen);
            List<Record> records;
            try {
              records =
                  TracedMachine.same(
                          machine,
                          Settings.records(32).sampling(gen.below(4)),
                          program,
                          program.offset(follower.begin),
                          _ -> machine.write(SCRIPT, script.steps.toByteArray()),
                          _ -> {},
                          traced)
                      .records();
            } catch (IOException e) {
              throw new UncheckedIOException(e);
            }
            long entries = records.stream().filter(r -> r.kind() == SessionLayout.ENTRY).count();
            assertEquals(script.calls.size(), entries);
            assertEquals(script.left, abandoned(records));
            assertEquals(2L * script.calls.size() - script.left, records.size());
            CallCounts counts = counts(records);
            assertEquals(
                List.of(script.left, 0L), List.of((int) counts.abandoned(), counts.open()));
            assertEquals(script.calls.size() - script.left, counts.exits());
            assertEquals(0, counts.lostEntries());
          });
    }
  }

  @Test
  void withAProbeOfTheLongJumpReadersFindTheCallsThatWereMade() throws IOException {
    Optional<UnicornMachine> made = UnicornMachine.in(folder, 32);
    assumeTrue(made.isPresent(), UnicornMachine.MISSING);
    Follower follower = new Follower();
    AssembledCode program = follower.assemble();
    int[] traced = new int[follower.functions.length];
    for (int i = 0; i < traced.length; i++) {
      traced[i] = program.offset(follower.functions[i]);
    }
    long jump = TracedMachine.PROGRAM + program.offset(follower.longJump);
    try (UnicornMachine machine = made.get()) {
      Property.check(
          RUNS,
          gen -> {
            Script script = new Script(gen);
            try {
              List<Record> records =
                  TracedMachine.same(
                          machine,
                          Settings.records(32),
                          program,
                          program.offset(follower.begin),
                          _ -> machine.write(SCRIPT, script.steps.toByteArray()),
                          change -> probe(change, jump),
                          traced)
                      .records();
              assertEquals(
                  String.join("\n", script.calls.stream().map(Call::toString).toList()),
                  String.join("\n", calls(records, traced)));
              CallCounts counts = counts(records);
              assertEquals(script.left, counts.unwinds());
              assertEquals(script.calls.size() - script.left, counts.exits());
              assertEquals(0, counts.abandoned() + counts.open() + counts.lostEntries());
            } catch (IOException e) {
              throw new UncheckedIOException(e);
            }
          });
    }
  }

  private static void probe(TracedMachine its, long jump) throws IOException {
    UnwindProbes probes = its.session().unwindProbes().orElseThrow();
    TracedCode code =
        new TracedCode(jump, its.machine().read(jump, UNIT), List.of(), new int[0], 0, false);
    its.machine().write(PROBE, probes.code(UnwindProbes.Unwinder.LONGJMP, code, PROBE).bytes());
    int distance = (int) (PROBE - jump - 5);
    its.machine().write(jump, new BytesBuilder(5).u8(0xE9).u32(distance).toArray());
    its.probe(jump, UNIT);
  }

  private static CallCounts counts(List<Record> records) {
    try (CallRecording recording = RecordedFile.of(records)) {
      return recording.counts(0);
    }
  }

  /** Returns the calls that a reader finds: depth, function and end. */
  private static List<String> calls(List<Record> records, int[] traced) {
    List<String> calls = new ArrayList<>();
    try (CallRecording recording = RecordedFile.of(records);
        CallWalk walk = recording.walk(0)) {
      while (walk.next()) {
        int function = (int) (walk.function() - TracedMachine.PROGRAM);
        int number = 0;
        while (traced[number] != function) {
          number++;
        }
        calls.add(walk.depth() + " " + number + " " + walk.end());
        if (walk.end() == CallEnd.UNWIND) {
          assertEquals(0x8000_0026L, walk.value());
        }
      }
    }
    return calls;
  }
}
