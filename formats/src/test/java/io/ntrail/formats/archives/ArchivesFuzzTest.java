package io.ntrail.formats.archives;

import com.code_intelligence.jazzer.junit.FuzzTest;
import io.ntrail.formats.bytes.CannotGoOn;
import io.ntrail.formats.bytes.Gaps;
import io.ntrail.formats.bytes.InputFile;
import io.ntrail.formats.bytes.MemoryBudget;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Assertions;

/**
 * Any bytes, as a zip and as a cabinet, are opened or refused with a reason. No more comes out than
 * their compression can give for so many bytes if none of them is used twice, and no memory stays
 * reserved.
 */
class ArchivesFuzzTest {
  /** Deflate: 258 bytes for two bits; the rest is for bytes that a block begins with. */
  private static final long DEFLATE_RATIO = 1040;

  /** Blocks of 32,768 bytes have a header of 8. */
  private static final long CABINET_RATIO = 4096;

  private interface Opening {
    void open(InputFile input, List<InputFile> opened) throws IOException;
  }

  private static void check(byte[] data, long ratio, Opening opening) {
    List<InputFile> opened = new ArrayList<>();
    try (InputFile input = InputFile.of(data, "fuzz")) {
      opening.open(input, opened);
      long size = opened.stream().mapToLong(InputFile::size).sum();
      Assertions.assertTrue(
          size <= ratio * (data.length + 1), () -> size + " bytes of " + data.length);
    } catch (CannotGoOn e) {
      Assertions.assertFalse(e.message().isEmpty());
    } catch (IOException e) {
      throw new AssertionError(e);
    } finally {
      opened.forEach(InputFile::close);
    }
    Assertions.assertEquals(0, MemoryBudget.ofProcess().reserved());
  }

  @FuzzTest(maxDuration = "60s")
  void anythingIsOpenedAsAZipOrRefused(byte[] data) {
    check(
        data,
        DEFLATE_RATIO,
        (zip, opened) -> ZipMembers.open(zip, name -> !name.isEmpty(), new Gaps(), opened));
  }

  /** The first byte of a name says whether it is wanted: others are passed over. */
  @FuzzTest(maxDuration = "60s")
  void anythingIsOpenedInPartOrRefused(byte[] data) {
    check(
        data,
        DEFLATE_RATIO,
        (zip, opened) -> ZipMembers.open(zip, name -> name.startsWith("a"), new Gaps(), opened));
  }

  @FuzzTest(maxDuration = "60s")
  void anythingIsOpenedAsACabinetOrRefused(byte[] data) {
    check(
        data,
        CABINET_RATIO,
        (cabinet, opened) ->
            CabinetMembers.open(List.of(cabinet), "fuzz", _ -> true, new Gaps(), opened));
  }
}
