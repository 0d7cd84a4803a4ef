package io.ntrail.export.stacks;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import io.ntrail.analysis.naming.FrameKind;
import io.ntrail.testkit.Property;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Characters and suffixes of frame names in files. */
class FrameNamesTest {
  @Test
  void separatorsInNamesAreReplaced() {
    assertEquals("a:b c d e", FrameNames.fit("a;b\rc\nd\te"));
    assertEquals("f(int, char const *)", FrameNames.fit("f(int, char const *)"));
    assertEquals("[unknown]", FrameNames.fit(""));
    assertEquals("x y", FrameNames.fit("x\u001by"));
    assertEquals("\uD83D\uDE00", FrameNames.fit("\uD83D\uDE00"));
    assertEquals("\uFFFDa\uFFFD", FrameNames.fit("\uDE00a\uD83D"));
  }

  @Test
  void endingsAndModulesTellTheKind() {
    assertEquals(FrameKind.KERNEL, FrameNames.kind("sys_read_[k]", false));
    assertEquals(FrameKind.INLINED, FrameNames.kind("min_[i]", false));
    assertEquals(FrameKind.MANAGED, FrameNames.kind("Interpreter_[j]", false));
    assertEquals(FrameKind.KERNEL, FrameNames.kind("Ntfs.sys!NtfsRead", false));
    assertEquals(FrameKind.KERNEL, FrameNames.kind("ntoskrnl.exe+0x42b300", false));
    assertEquals(FrameKind.NATIVE, FrameNames.kind("main", false));
    assertEquals(FrameKind.PROCESS, FrameNames.kind("shopd.exe (4312)", true));
    assertEquals(FrameKind.NATIVE, FrameNames.kind("shopd.exe (4312)", false));
    assertEquals(FrameKind.MANAGED, FrameNames.kind("(jitted)!System.Object.Equals", false));
  }

  @Test
  void processesWithoutIds() {
    FrameNameOptions naming = new FrameNameOptions(false, true, Set.of());
    assertEquals("shopd.exe", naming.of("shopd.exe (4312)", FrameKind.PROCESS));
    assertEquals("process", naming.of("process 4312", FrameKind.PROCESS));
    assertEquals("f (4312)", naming.of("f (4312)", FrameKind.NATIVE));
  }

  @Test
  void numbersThatDifferFromRunToRun() {
    FrameNameOptions naming = new FrameNameOptions(true, false, Set.of());
    assertEquals("a.dll+0x...", naming.of("a.dll+0x1f00", FrameKind.NATIVE));
    assertEquals("[0x...] 0x... x", naming.of("[0xABc] 0x9 x", FrameKind.NATIVE));
  }

  @Test
  void modules() {
    assertEquals("ntdll.dll", FrameNames.module("ntdll.dll!RtlUserThreadStart"));
    assertEquals("ntdll.dll", FrameNames.module("ntdll.dll+0x5aa00"));
    assertNull(FrameNames.module("main"));
    assertNull(FrameNames.module("!x"));
  }

  @Test
  void orderIsThatOfBytes() {
    Property.check(g -> {
      String a = text(g);
      String b = text(g);
      int bytes =
          Arrays.compareUnsigned(
              a.getBytes(StandardCharsets.UTF_8), b.getBytes(StandardCharsets.UTF_8));
      assertEquals(Integer.signum(bytes), Integer.signum(FrameNames.BYTEWISE.compare(a, b)));
    });
  }

  private static String text(Property.Gen g) {
    StringBuilder text = new StringBuilder();
    for (int i = g.below(5); i > 0; i--) {
      text.append(g.oneOf("a", "b", "\u00E9", "\uD7FF", "\uE000", "\uFFFD", "\uD83D\uDE00"));
    }
    return text.toString();
  }
}
