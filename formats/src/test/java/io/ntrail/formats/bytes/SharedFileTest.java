package io.ntrail.formats.bytes;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A file that several programs change at once. */
class SharedFileTest {
  @TempDir Path folder;

  private SharedFile create(long size) throws IOException {
    return SharedFile.create(List.of(folder), "test", size, size);
  }

  @Test
  void othersSeeWhatIsStoredAndWeSeeWhatTheyStore() throws IOException {
    try (SharedFile file = create(65_536);
        RandomAccessFile other = new RandomAccessFile(file.path().toFile(), "rw")) {
      file.setU32(8, 0x11223344);
      file.setU32Release(12, 0x55667788);
      file.setU64(16, 0x0102030405060708L);
      file.setU64Release(24, -2);
      byte[] seen = new byte[24];
      other.seek(8);
      other.readFully(seen);
      byte[] stored = {
        0x44,
        0x33,
        0x22,
        0x11,
        (byte) 0x88,
        0x77,
        0x66,
        0x55,
        8,
        7,
        6,
        5,
        4,
        3,
        2,
        1,
        -2,
        -1,
        -1,
        -1,
        -1,
        -1,
        -1,
        -1
      };
      assertArrayEquals(stored, seen);
      other.seek(32);
      other.write(stored);
      assertEquals(0x11223344, file.u32(32));
      assertEquals(0x55667788, file.u32Acquire(36));
      assertEquals(0x0102030405060708L, file.u64(40));
      assertEquals(-2, file.u64Acquire(48));
      long[] words = new long[3];
      file.copyTo(32, words, 0, 3);
      assertArrayEquals(new long[] {0x5566778811223344L, 0x0102030405060708L, -2}, words);
    }
  }

  @Test
  void itIsZeroAtFirstAndWhereItIsZeroed() throws IOException {
    try (SharedFile file = create(3 << 20)) {
      assertEquals(3 << 20, Files.size(file.path()));
      for (long at = 0; at < file.size(); at += 4096) {
        assertEquals(0, file.u64(at));
      }
      file.fill(100, 50, 0xAB);
      file.zero(104, 8);
      assertEquals(0xABABABAB, file.u32(100));
      assertEquals(0, file.u64(104));
      assertEquals(0xABABABAB, file.u32(112));
      assertEquals(0, file.u32(152));
    }
  }

  @Test
  void roomIsReservedAfterTheNameIsRemoved() throws IOException {
    try (SharedFile file = SharedFile.create(SharedFile.folders(), "ntrail-test", 65_536, 4096)) {
      file.removeName();
      file.reserve(4096, 61_440);
      file.setU64(65_528, 5);
      assertEquals(5, file.u64(65_528));
    }
  }

  @Test
  void aFileThatSomebodyElseCreatedIsSharedAndNotDeleted() throws IOException {
    try (SharedFile file = create(4096)) {
      try (SharedFile other = SharedFile.of(file.path())) {
        assertEquals(4096, other.size());
        other.setU64Release(8, 7);
        assertEquals(7, file.u64Acquire(8));
      }
      assertTrue(Files.exists(file.path()));
    }
  }

  @Test
  void nothingBeyondItsEndsIsTouched() throws IOException {
    try (SharedFile file = create(4096)) {
      assertThrows(IndexOutOfBoundsException.class, () -> file.u32(4096));
      assertThrows(IndexOutOfBoundsException.class, () -> file.u64(-8));
      assertThrows(IndexOutOfBoundsException.class, () -> file.setU64(4092, 1));
      assertThrows(IndexOutOfBoundsException.class, () -> file.zero(4000, 97));
      assertThrows(IndexOutOfBoundsException.class, () -> file.copyTo(4088, new long[2], 0, 2));
    }
  }

  @Test
  void itIsGoneWhenItIsClosed() throws IOException {
    SharedFile file = create(4096);
    assertTrue(Files.exists(file.path()));
    file.close();
    file.close();
    assertFalse(Files.exists(file.path()));
    assertThrows(IllegalStateException.class, () -> file.u32(0));
  }

  @Test
  void onlyTheOwnerMayOpenItAndItsNameIsUnpredictable() throws IOException {
    try (SharedFile a = create(4096);
        SharedFile b = create(4096)) {
      assertNotEquals(a.path(), b.path());
      Assumptions.assumeTrue(
          Files.getFileStore(folder).supportsFileAttributeView("posix"), "no POSIX permissions");
      assertEquals(
          "rw-------", PosixFilePermissions.toString(Files.getPosixFilePermissions(a.path())));
    }
  }

  @Test
  void theFirstFolderWithRoomIsTaken() throws IOException {
    Path missing = folder.resolve("missing");
    try (SharedFile file = SharedFile.create(List.of(missing, folder), "test", 4096, 4096)) {
      assertEquals(folder, file.path().getParent());
    }
    IOException e =
        assertThrows(
            IOException.class,
            () -> SharedFile.create(List.of(folder), "test", 1L << 60, 1L << 60));
    assertTrue(e.getSuppressed().length > 0);
    try (var left = Files.list(folder)) {
      assertEquals(0, left.count());
    }
  }

  @Test
  void whatIsNotReservedTakesNoSpaceAndCanBeReservedLater() throws IOException {
    long size = Files.getFileStore(folder).getTotalSpace() + (1L << 30);
    try (SharedFile file = SharedFile.create(List.of(folder), "test", size, 65_536)) {
      assertEquals(size, file.size());
      file.reserve(size - 131_072, 131_072);
      file.setU64(size - 8, 77);
      assertEquals(77, file.u64(size - 8));
      assertThrows(IOException.class, () -> file.reserve(65_536, size - 65_536));
      assertThrows(IllegalArgumentException.class, () -> file.reserve(size - 1, 2));
    }
  }

  @Test
  void itMayBeLargerThanAnArray() throws IOException {
    Assumptions.assumeTrue(
        Files.isWritable(Path.of("/dev/shm"))
            && Files.getFileStore(Path.of("/dev/shm")).getUsableSpace() > 4L << 30,
        "no room in memory");
    long size = (1L << 31) + 65_536;
    try (SharedFile file = SharedFile.create(SharedFile.folders(), "test", size, size)) {
      file.setU64(size - 8, 77);
      assertEquals(77, file.u64Acquire(size - 8));
      assertEquals(0, file.u64(size - 16));
    }
  }
}
