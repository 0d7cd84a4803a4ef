package io.ntrail.programs.symbols;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.ntrail.formats.bytes.CannotGoOn;
import io.ntrail.formats.identity.Guid;
import io.ntrail.formats.identity.ImageId;
import io.ntrail.formats.identity.PdbId;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A list of files to download elsewhere. */
class SymbolManifestTest {
  private static final StoreKey PDB =
      new StoreKey("ntkrnlmp.pdb", "1EB9FACB04EA27A0F7C7B6C5D4E3F201a");
  private static final StoreKey IMAGE = new StoreKey("ntoskrnl.exe", "0D8333E61046000");

  @TempDir private Path folder;

  private static SymbolManifest read(String text) {
    return SymbolManifest.read(text.getBytes(StandardCharsets.UTF_8), "list");
  }

  @Test
  void aLineHasNameKeyAndPlace() {
    String text = new SymbolManifest(List.of(PDB, IMAGE)).text();
    assertEquals(
        List.of(
            "ntkrnlmp.pdb\t1EB9FACB04EA27A0F7C7B6C5D4E3F201a"
                + "\tntkrnlmp.pdb/1EB9FACB04EA27A0F7C7B6C5D4E3F201a/ntkrnlmp.pdb",
            "ntoskrnl.exe\t0D8333E61046000\tntoskrnl.exe/0D8333E61046000/ntoskrnl.exe"),
        text.lines().filter(line -> !line.startsWith("#")).toList());
    assertEquals(List.of(PDB, IMAGE), read(text).keys());
  }

  @Test
  void remarksBlankLinesAndRepetitionsArePassedOver() {
    String line = "a.exe\t0D8333E61046000\r\n";
    assertEquals(
        List.of(new StoreKey("a.exe", "0D8333E61046000")),
        read("# ntrail symbol manifest 1\r\n\r\n# x\n" + line + line).keys());
  }

  @Test
  void aLineThatNamesNoFileOfAStoreIsRefusedByItsNumber() {
    for (String line : List.of("../x\t1234", "x.pdb", "x.pdb\txyz", "\t12", "a/b\t12")) {
      CannotGoOn refused =
          assertThrows(CannotGoOn.class, () -> read("# ntrail symbol manifest 1\n" + line));
      assertEquals("list: line 2 is not a store file name and key", refused.message());
    }
  }

  @Test
  void itIsKnownByItsFirstLine() throws IOException {
    Path list = Files.writeString(folder.resolve("list"), new SymbolManifest(List.of()).text());
    assertTrue(SymbolManifest.isManifest(list));
    assertFalse(SymbolManifest.isManifest(Files.writeString(folder.resolve("x"), "x\t1\n")));
    assertFalse(SymbolManifest.isManifest(folder));
  }

  @Test
  void aKeySelectsTheKindOfFile() {
    assertEquals(
        Optional.of(new PdbId(Guid.parse("1eb9facb-04ea-27a0-f7c7-b6c5d4e3f201"), 10)),
        SymbolManifest.pdb(PDB).map(PdbRequest::id));
    assertEquals(
        Optional.of(new ImageId(0x0D8333E6L, 0x1046000)),
        SymbolManifest.image(IMAGE).map(ImageFileRequest::id));
    assertEquals(Optional.empty(), SymbolManifest.pdb(IMAGE));
    assertEquals(Optional.empty(), SymbolManifest.image(PDB));
    StoreKey portable = new StoreKey("a.pdb", "1EB9FACB04EA27A0F7C7B6C5D4E3F201FFFFFFFF");
    assertEquals(Optional.empty(), SymbolManifest.pdb(portable));
  }
}
