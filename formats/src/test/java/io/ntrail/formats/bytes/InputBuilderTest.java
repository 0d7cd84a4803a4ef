package io.ntrail.formats.bytes;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** An input of unknown size is in memory within a budget, else in a file that leaves nothing. */
class InputBuilderTest {
  private static final int MIB = 1 << 20;

  @TempDir Path folder;
  private final byte[] random = new byte[MIB];

  InputBuilderTest() {
    new Random(7).nextBytes(random);
  }

  private InputBuilder builder(String name, MemoryBudget budget) {
    return new InputBuilder(name, budget, () -> TemporaryFile.create(folder, "test", 0));
  }

  private List<Path> left() throws IOException {
    try (Stream<Path> files = Files.list(folder)) {
      return files.toList();
    }
  }

  private static byte[] bytes(InputFile input) {
    return input.window(0, (int) input.size()).array(0, (int) input.size());
  }

  @Test
  void whatFitsTheBudgetIsInMemoryAndReservesItsSize() {
    MemoryBudget budget = new MemoryBudget(16 * MIB);
    try (InputBuilder builder = builder("a", budget)) {
      for (int at = 0; at < random.length; at += 4096) {
        builder.append(random, at, 4096);
        assertTrue(budget.reserved() >= builder.size(), "all of it is reserved");
      }
      InputFile input = builder.finish();
      assertEquals(MIB, budget.reserved());
      assertArrayEquals(random, bytes(input));
      input.close();
      input.close();
      assertEquals(0, budget.reserved());
    }
  }

  @Test
  void whatDoesNotFitTheBudgetIsInAFile() throws IOException {
    MemoryBudget budget = new MemoryBudget(2 * MIB);
    try (InputBuilder first = builder("a", budget);
        InputBuilder second = builder("b", budget)) {
      first.append(random, 0, MIB);
      InputFile held = first.finish();
      for (int i = 0; i < 3; i++) {
        second.append(random, 0, MIB);
        assertTrue(budget.reserved() <= budget.limit(), "never more than the limit");
      }
      InputFile large = second.finish();
      assertEquals(MIB, budget.reserved());
      assertEquals(3 * MIB, large.size());
      assertArrayEquals(random, large.window(2 * MIB, MIB).array(0, MIB));
      assertArrayEquals(random, bytes(held));
      held.close();
      large.close();
    }
    assertEquals(List.of(), left());
  }

  @Test
  void aLargeInputIsInAFileHoweverMuchMemoryIsLeft() {
    MemoryBudget budget = new MemoryBudget(Long.MAX_VALUE / 2);
    byte[] zeros = new byte[MIB];
    try (InputBuilder builder = builder("a", budget)) {
      for (int i = 0; i < 64; i++) {
        builder.append(zeros, 0, MIB);
      }
      assertEquals(64 * MIB, budget.reserved());
      builder.append(random, 0, 1);
      assertEquals(0, budget.reserved());
      try (InputFile input = builder.finish()) {
        assertEquals(64 * MIB + 1, input.size());
        assertTrue(input.window(0, 64 * MIB).isZero(0, 64 * MIB), "holes are zeros");
        assertEquals(random[0] & 0xFF, input.window(64 * MIB, 1).u8(0));
      }
    }
  }

  @Test
  void aFileThatEndsWithZerosHasThem() {
    try (InputBuilder builder = builder("a", new MemoryBudget(0))) {
      builder.append(random, 0, 10);
      builder.append(new byte[MIB], 0, MIB);
      try (InputFile input = builder.finish()) {
        assertEquals(MIB + 10, input.size());
        assertTrue(input.window(10, MIB).isZero(0, MIB), "zeros");
      }
    }
  }

  @Test
  void theBeginningCanBeLookedAtWhereverItIs() {
    for (long limit : new long[] {0, 100 * MIB}) {
      try (InputBuilder builder = builder("a", new MemoryBudget(limit))) {
        builder.append(random, 0, 1000);
        try (InputFile head = builder.soFar()) {
          assertEquals(1000, head.size());
          assertEquals(random[999] & 0xFF, head.window(999, 1).u8(0));
        }
        builder.append(random, 1000, MIB - 1000);
        try (InputFile input = builder.finish()) {
          assertArrayEquals(random, bytes(input));
        }
      }
    }
  }

  @Test
  void nothingIsAnInputWithoutBytes() {
    try (InputBuilder builder = builder("a", new MemoryBudget(0));
        InputFile input = builder.finish()) {
      assertEquals(0, input.size());
    }
  }

  @Test
  void whatIsNotFinishedGivesEverythingBack() throws IOException {
    MemoryBudget budget = new MemoryBudget(MIB);
    try (InputBuilder memory = builder("a", budget);
        InputBuilder file = builder("b", new MemoryBudget(0))) {
      memory.append(random, 0, 100);
      file.append(random, 0, 100);
    }
    assertEquals(0, budget.reserved());
    assertEquals(List.of(), left());
  }

  @Test
  void aTemporaryFileHasNoNameWhileItIsUsed() throws IOException {
    assumeTrue(File.separatorChar == '/', "there it has a name until it is closed");
    try (InputBuilder builder = builder("a", new MemoryBudget(0))) {
      builder.append(random, 0, MIB);
      assertEquals(List.of(), left());
      try (InputFile input = builder.finish()) {
        assertEquals(List.of(), left());
        assertArrayEquals(random, bytes(input));
      }
    }
  }

  @Test
  void pagesOfAFileThatWereGivenBackAreReadAgain() {
    try (InputBuilder builder = builder("a", new MemoryBudget(0))) {
      for (int i = 0; i < 20; i++) {
        builder.append(random, 0, MIB);
      }
      try (InputFile input = builder.finish()) {
        Bytes kept = input.window(0, MIB);
        for (int i = 0; i < 20; i++) {
          assertArrayEquals(random, input.window((long) i * MIB, MIB).array(0, MIB));
        }
        assertArrayEquals(random, kept.array(0, MIB));
      }
    }
  }

  @Test
  void aDiskWithoutRoomIsRefusedWithANextStep() throws IOException {
    try (InputBuilder builder =
        new InputBuilder(
            "x.zip!/a.etl",
            new MemoryBudget(0),
            () -> TemporaryFile.create(folder, "test", Long.MAX_VALUE))) {
      CannotGoOn refusal =
          assertThrows(CannotGoOn.class, () -> builder.append(random, 0, random.length));
      assertTrue(
          refusal.message().startsWith("x.zip!/a.etl does not fit into the temporary folder"),
          refusal.message());
      assertTrue(refusal.message().contains("bytes are free"), refusal.message());
      assertTrue(refusal.nextStep().contains("TMPDIR"), refusal.nextStep());
    }
    assertEquals(List.of(), left());
  }

  @Test
  void aFolderThatTakesNoFilesIsRefusedWithANextStep() {
    Path missing = folder.resolve("missing");
    try (InputBuilder builder =
        new InputBuilder(
            "a", new MemoryBudget(0), () -> TemporaryFile.create(missing, "test", 0))) {
      CannotGoOn refusal = assertThrows(CannotGoOn.class, () -> builder.append(random, 0, 1));
      assertTrue(refusal.message().endsWith("(there is no such folder)"), refusal.message());
      assertFalse(refusal.nextStep().isEmpty());
    }
  }

  @Test
  void theProcessHasAGibibyteAtMost() {
    assertTrue(MemoryBudget.ofProcess().limit() <= 1L << 30);
    assertTrue(
        MemoryBudget.ofProcess().limit() <= Runtime.getRuntime().maxMemory() / 2,
        "native memory is limited by the heap's size");
  }
}
