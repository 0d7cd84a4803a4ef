package io.ntrail.live.trace;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.ntrail.live.code.ArgumentCopies.Copy;
import io.ntrail.live.trace.Tracing.Outcome;
import io.ntrail.live.trace.Tracing.Settings;
import io.ntrail.testkit.ntr.ReferenceNtrReader;
import io.ntrail.testkit.ntr.ReferenceNtrReader.Event;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.AfterParameterizedClassInvocation;
import org.junit.jupiter.params.BeforeParameterizedClassInvocation;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Memory that arguments point to, copied when a function is entered; of programs of both machines.
 */
@ParameterizedClass(name = "{0}")
@EnumSource(Machine.class)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
final class CopiedArgumentsTest {
  private static final int ENTRY = 2;
  private static final int ENTRY_ONLY = 10;
  private static final int MEMORY = 12;

  @Parameter Machine machine;
  private Programs programs;

  @BeforeParameterizedClassInvocation
  void begin(Machine its, @TempDir Path folder) {
    programs = new Programs(its, folder);
  }

  /** Argument of a function whose arguments are all on the stack in 32-bit code. */
  private Copy copy(int argument, int offset, int length, boolean isText) {
    // Ecx and edx come before the words of the stack.
    int first = machine == Machine.X86 ? 2 : 0;
    return new Copy(first + argument, offset, length, isText);
  }

  private Copy text() {
    return copy(0, 0, 20, true);
  }

  private Copy bytes() {
    return copy(1, 0, 16, false);
  }

  @AfterParameterizedClassInvocation
  void end() {
    if (programs != null) {
      programs.close();
    }
  }

  /** Returns the memory in front of each entry, in the order of copies; "-" for none. */
  private static List<List<String>> copies(Path recording, int each) throws IOException {
    List<List<String>> entries = new ArrayList<>();
    for (List<Event> events :
        ReferenceNtrReader.read(Files.readAllBytes(recording)).events().values()) {
      List<String> before = new ArrayList<>();
      ByteArrayOutputStream bytes = new ByteArrayOutputStream();
      long next = 0;
      for (Event event : events) {
        if (event.kind() == MEMORY) {
          if (event.value() != next || bytes.size() == 0) {
            before.add(text(bytes));
            bytes.reset();
          }
          long length = event.values().getFirst();
          for (int i = 0; i < length; i++) {
            bytes.write((int) (event.values().get(1 + i / 8) >>> 8 * (i % 8)));
          }
          next = event.value() + length;
        } else if (event.kind() == ENTRY || event.kind() == ENTRY_ONLY) {
          before.add(text(bytes));
          bytes.reset();
          entries.add(List.copyOf(before.subList(Math.min(1, before.size()), before.size())));
          before.clear();
        }
      }
    }
    entries.removeIf(one -> one.size() != each);
    return entries;
  }

  private static String text(ByteArrayOutputStream bytes) {
    return bytes.size() == 0 ? "-" : bytes.toString(StandardCharsets.ISO_8859_1).replace('\0', '~');
  }

  @Test
  void memoryIsCopiedAsFarAsItCanBeReadAndGuardPagesStay() throws IOException {
    Outcome traced =
        programs.same(
            new Settings().exports().copies(text(), bytes()), programs.make("pointers.c"));
    Programs.exact(traced);
    assertEquals(
        List.of(
            List.of("a text~", "another one, whi"),
            List.of("abcdef", "-"),
            List.of("def", "-"),
            List.of("f0123456789abcdef012", "abcdef0123456789"),
            List.of("9abcdef", "-"),
            List.of("-", "-"),
            List.of("-", "-")),
        copies(traced.recording(), 2).subList(0, 7));
    assertEquals("~", copies(traced.recording(), 2).get(7).getFirst());
    assertEquals(List.of("only the entry~", "cdef"), copies(traced.recording(), 2).get(8));
  }

  @Test
  void argumentsOnTheStackAndPlacesBesideThemAreCopied() throws IOException {
    Outcome traced =
        programs.same(
            new Settings().exports().copies(copy(5, 3, 9, true), copy(5, -1, 0, false)),
            programs.make("pointers.c"));
    List<List<String>> copies = copies(traced.recording(), 2);
    assertEquals("the stack", copies.getLast().getFirst());
  }

  @Test
  void longMemoryIsWhole() throws IOException {
    Outcome traced =
        programs.same(
            new Settings().exports().copies(copy(1, -96, 880, false)), programs.make("pointers.c"));
    String open = copies(traced.recording(), 1).get(3).getFirst();
    assertEquals("0123456789abcdef".repeat(56).substring(10, 890), open);
  }

  @Test
  void registersFlagsAndVectorsStayAsTheyAre() throws IOException {
    Settings settings =
        new Settings().exports().chunks(1024).copies(text(), bytes(), copy(2, 0, 8, false));
    Outcome traced = programs.same(settings, programs.make(machine.registers()));
    assertEquals(4 * 3000, Programs.exact(traced).of("set_all").returned);
  }

  @Test
  void memoryThatIsTakenAwayMeanwhileEndsTheCopyAndHarmsNobody() throws IOException {
    Settings settings = new Settings().exports().chunks(1024).copies(text(), bytes());
    Outcome traced = programs.same(settings, programs.make("pointers.c"), "20000");
    assertEquals(20_000, Programs.exact(traced).of("take").returned);
  }

  @Test
  void theSystemCallThatIsAskedMayBeTracedItself() throws IOException {
    Settings settings =
        new Settings()
            .exports()
            .functions((module, name) -> name.equals("NtQueryVirtualMemory"))
            .copies(text(), bytes());
    Outcome traced = programs.same(settings, programs.make("pointers.c"));
    Programs.exact(traced);
    // The program asks once itself.
    assertEquals(1, traced.calls().of("NtQueryVirtualMemory").entries);
  }
}
