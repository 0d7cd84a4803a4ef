package io.ntrail.programs.x86.asm;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.ntrail.formats.bytes.Bytes;
import io.ntrail.programs.x86.CodeSize;
import io.ntrail.programs.x86.Instruction;
import io.ntrail.programs.x86.InstructionDecoder;
import io.ntrail.programs.x86.asm.operands.BranchTarget;
import io.ntrail.programs.x86.asm.operands.Label;
import io.ntrail.testkit.Property;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Jumps take the shortest form that reaches, whatever is between them and their targets. */
class RelaxationTest {
  /** Part of a random program. */
  private sealed interface Part {
    record Plain(int bytes) implements Part {}

    /** A jump to the place in front of a part. */
    record Jump(int condition, int target) implements Part {}

    record Aligned(int boundary) implements Part {}

    record Filled(int bytes) implements Part {}
  }

  /** Forms of jumps: left to the assembler, short or near. */
  private enum Form {
    ANY,
    SHORT,
    NEAR
  }

  /** A program with a label in front of each part. */
  private record Program(AssembledCode code, List<Label> places) {
    int offset(int part) {
      return code.offset(places.get(part));
    }

    int length(int part) {
      return (part + 1 < places.size() ? offset(part + 1) : code.length()) - offset(part);
    }
  }

  private static Program assemble(List<Part> parts, List<Form> forms) {
    Assembler a = Assembler.x64();
    List<Label> places = new ArrayList<>();
    for (int i = 0; i <= parts.size(); i++) {
      places.add(a.label());
    }
    for (int i = 0; i < parts.size(); i++) {
      a.bind(places.get(i));
      switch (parts.get(i)) {
        case Part.Plain plain -> a.nop(plain.bytes());
        case Part.Aligned aligned -> a.align(aligned.boundary());
        case Part.Filled filled -> {
          Label here = a.here("filled");
          a.nop(filled.bytes() / 2).fill(here, filled.bytes(), Padding.INT3);
        }
        case Part.Jump jump -> jump(a, jump, places.get(jump.target()), forms.get(i));
      }
    }
    a.bind(places.getLast());
    return new Program(a.assemble(), places);
  }

  private static void jump(Assembler a, Part.Jump jump, Label target, Form form) {
    boolean always = jump.condition() == 16;
    Condition condition = Condition.values()[jump.condition() & 15];
    switch (form) {
      case ANY -> a.op(always ? "JMP" : condition.jump(), target);
      case SHORT -> a.op(always ? "JMP" : condition.jump(), BranchTarget.of(target, 1));
      case NEAR -> a.op(always ? "JMP" : condition.jump(), BranchTarget.of(target, 4));
    }
  }

  private static List<Part> draw(Property.Gen gen, int most, boolean padded) {
    List<Part> parts = new ArrayList<>();
    int count = 1 + gen.length(most);
    for (int i = 0; i < count; i++) {
      switch (gen.below(padded ? 8 : 5)) {
        case 0, 1 -> parts.add(new Part.Plain(gen.below(130)));
        case 2, 3, 4 -> parts.add(new Part.Jump(gen.below(17), gen.below(count + 1)));
        case 5, 6 -> parts.add(new Part.Aligned(1 << gen.below(8)));
        default -> parts.add(new Part.Filled(gen.below(200)));
      }
    }
    return parts;
  }

  private static List<Form> all(List<Part> parts, Form form) {
    return new ArrayList<>(Collections.nCopies(parts.size(), form));
  }

  private static List<Form> taken(List<Part> parts, Program program) {
    List<Form> forms = all(parts, Form.ANY);
    for (int i = 0; i < parts.size(); i++) {
      if (parts.get(i) instanceof Part.Jump) {
        forms.set(i, program.length(i) == 2 ? Form.SHORT : Form.NEAR);
      }
    }
    return forms;
  }

  @Test
  void jumpsGoWhereTheirLabelsAre() {
    Property.check(gen -> {
      List<Part> parts = draw(gen, 120, true);
      Program program = assemble(parts, all(parts, Form.ANY));
      byte[] bytes = program.code().bytes();
      InstructionDecoder decoder = InstructionDecoder.of(CodeSize.BITS64);
      Instruction instruction = new Instruction();
      for (int i = 0; i < parts.size(); i++) {
        int at = program.offset(i);
        if (parts.get(i) instanceof Part.Jump jump) {
          decoder.decode(Bytes.copyOf(bytes, "program"), at, bytes.length, instruction);
          assertEquals(program.offset(jump.target()), instruction.branchTarget(at));
        }
        if (parts.get(i) instanceof Part.Aligned aligned) {
          assertEquals(0, (at + program.length(i)) % aligned.boundary());
        }
        if (parts.get(i) instanceof Part.Filled filled) {
          assertEquals(filled.bytes(), program.length(i));
        }
      }
    });
  }

  @Test
  void sameProgramGivesTheSameBytes() {
    Property.check(gen -> {
      List<Part> parts = draw(gen, 120, true);
      Program program = assemble(parts, all(parts, Form.ANY));
      byte[] bytes = program.code().bytes();
      assertArrayEquals(bytes, assemble(parts, all(parts, Form.ANY)).code().bytes());
      // The chosen forms written down give the same again: the layout is a fixed point.
      assertArrayEquals(bytes, assemble(parts, taken(parts, program)).code().bytes());
    });
  }

  @Test
  void noNearJumpWouldReachIfItWereShort() {
    Property.check(
        80,
        gen -> {
          List<Part> parts = draw(gen, 60, true);
          Program program = assemble(parts, all(parts, Form.ANY));
          List<Form> forms = taken(parts, program);
          for (int i = 0; i < parts.size(); i++) {
            if (forms.get(i) == Form.NEAR) {
              List<Form> shorter = new ArrayList<>(forms);
              shorter.set(i, Form.SHORT);
              assertThrows(IllegalArgumentException.class, () -> assemble(parts, shorter));
            }
          }
        });
  }

  @Test
  void withoutPaddingNoOtherChoiceOfFormsIsShorter() {
    Property.check(
        60,
        gen -> {
          List<Part> parts = draw(gen, 16, false);
          int[] jumps =
              IntStream.range(0, parts.size())
                  .filter(i -> parts.get(i) instanceof Part.Jump)
                  .limit(8)
                  .toArray();
          int ours = assemble(parts, all(parts, Form.ANY)).code().length();
          for (int choice = 0; choice < 1 << jumps.length; choice++) {
            List<Form> forms = all(parts, Form.ANY);
            for (int i = 0; i < jumps.length; i++) {
              forms.set(jumps[i], (choice >> i & 1) == 0 ? Form.SHORT : Form.NEAR);
            }
            int other;
            try {
              other = assemble(parts, forms).code().length();
            } catch (IllegalArgumentException e) {
              continue;
            }
            assertTrue(ours <= other, () -> "shorter: " + parts + " " + forms);
          }
        });
  }

  @Test
  void jumpBackReachesItsOwnLengthLess() {
    assertEquals(2 + 126, backOver(126));
    assertEquals(5 + 127, backOver(127));
  }

  @Test
  void jumpForwardReaches127Bytes() {
    assertEquals(2 + 127, forwardOver(127));
    assertEquals(5 + 128, forwardOver(128));
  }

  private static int backOver(int bytes) {
    Assembler a = Assembler.ia32();
    Label begin = a.here("begin");
    return a.nop(bytes).jmp(begin).assemble().length();
  }

  private static int forwardOver(int bytes) {
    Assembler a = Assembler.ia32();
    Label end = a.label("end");
    return a.jmp(end).nop(bytes).bind(end).assemble().length();
  }

  @Test
  void longerJumpMakesOthersLonger() {
    // The inner jump reaches only as long as the outer one is short.
    Assembler a = Assembler.x64();
    Label far = a.label("far");
    Label near = a.label("near");
    AssembledCode code = a.jmp(near).jmp(far).nop(125).bind(near).nop(10).bind(far).assemble();
    assertEquals(5 + 5 + 125 + 10, code.length());
  }

  @Test
  void hundredThousandJumpsAreSoonPlaced() {
    Assembler a = Assembler.x64();
    Label end = a.label("end");
    a.align(16);
    for (int i = 0; i < 100_000; i++) {
      a.je(end);
    }
    AssembledCode code = a.bind(end).assemble();
    // The last 64 are short: the first of them has 63 others of two bytes to pass.
    assertEquals(6 * (100_000 - 64) + 2 * 64, code.length());
  }
}
