package io.ntrail.programs.symbols;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.ntrail.formats.bytes.InputFile;
import io.ntrail.formats.pe.PeImage;
import io.ntrail.programs.symbols.PdbSearch.Tried;
import io.ntrail.programs.symbols.SymbolPath.Host;
import io.ntrail.testkit.pdb.PdbSamples;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIf;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The PDB of an image is found where it may be, and only the right one. */
@EnabledIf("io.ntrail.testkit.pdb.PdbSamples#present")
class PdbSearchTest {
  private static final StoreFixture USER32 = StoreFixture.user32();

  @TempDir private Path folder;

  private PdbSearch.Result search(byte[] image, List<Path> places, String path) {
    Host host = new Host(false, Map.of("T", folder.toString())::get, folder.resolve("home"));
    PdbSearch search = new PdbSearch(places, SymbolStores.of(SymbolPath.parse(path, host), host));
    Path file = folder.resolve("image/user32.dll");
    try (InputFile input = InputFile.of(image, file.toString())) {
      PdbSearch.Result result = search.find(file, PeImage.ofFile(input));
      result.pdb().ifPresent(OpenPdb::close);
      return result;
    }
  }

  private static byte[] image() {
    return PdbSamples.bytes("win7/user32.dll");
  }

  private Optional<String> found(List<Path> places, String path) {
    return search(image(), places, path)
        .pdb()
        .map(open -> folder.relativize(open.path()).toString());
  }

  @Test
  void namedPlacesGoBeforeTheImagesFolderAndThatBeforeStores() throws IOException {
    StoreFixture.put(folder, "s/" + USER32.place(), USER32.bytes());
    assertEquals(Optional.of("s/" + USER32.place()), found(List.of(), "srv*%T%/s"));
    StoreFixture.put(folder, "image/user32.pdb", USER32.bytes());
    assertEquals(Optional.of("image/user32.pdb"), found(List.of(), "srv*%T%/s"));
    Path named = StoreFixture.put(folder, "n/user32.pdb", USER32.bytes());
    assertEquals(Optional.of("n/user32.pdb"), found(List.of(named), "srv*%T%/s"));
    assertEquals(Optional.of("n/user32.pdb"), found(List.of(named.getParent()), "srv*%T%/s"));
  }

  @Test
  void aFolderHasPdbsByTheKindsOfTheirImages() throws IOException {
    StoreFixture.put(folder, "f/symbols/dll/user32.pdb", USER32.bytes());
    assertEquals(Optional.of("f/symbols/dll/user32.pdb"), found(List.of(), "%T%/f"));
  }

  @Test
  void allPlacesThatDoNotHaveItAreReported() {
    PdbSearch.Result result = search(image(), List.of(), "srv*%T%/s;%T%/f");
    assertEquals(
        List.of(
            folder.resolve("image/user32.pdb") + " not found",
            folder.resolve("s") + " is not a folder",
            folder.resolve("f") + " is not a folder"),
        result.tried().stream().map(Tried::why).toList());
  }

  /** The image with another name of its PDB, as long as the true one or shorter. */
  private static byte[] naming(String name) {
    byte[] bytes = image();
    byte[] from = "user32.pdb".getBytes(StandardCharsets.US_ASCII);
    for (int at = 0; at + from.length < bytes.length; at++) {
      if (Arrays.equals(bytes, at, at + from.length, from, 0, from.length)) {
        byte[] to = Arrays.copyOf(name.getBytes(StandardCharsets.UTF_8), from.length);
        System.arraycopy(to, 0, bytes, at, to.length);
        return bytes;
      }
    }
    throw new IllegalStateException("the image does not name its PDB");
  }

  @ParameterizedTest
  @ValueSource(strings = {"..", "", "a/..", "nul.pdb", "ab:y", "a/", "\u0001"})
  void anInvalidPdbNameIsReportedAndNothingIsRead(String name) throws IOException {
    StoreFixture.put(folder, "s/" + USER32.place(), USER32.bytes());
    PdbSearch.Result result = search(naming(name), List.of(folder), "srv*%T%/s;%T%/s");
    assertEquals(Optional.empty(), result.pdb());
    assertEquals(1, result.tried().size());
    assertTrue(result.why().endsWith(" has a PDB name that is not a valid file name"));
  }

  @Test
  void aNamedFileNeedsNoNameInTheImage() throws IOException {
    Path named = StoreFixture.put(folder, "n/x.pdb", USER32.bytes());
    PdbSearch.Result result = search(naming(".."), List.of(named), "");
    assertEquals(Optional.of(named), result.pdb().map(OpenPdb::path));
  }

  @Test
  void aNameWithFoldersIsItsLastPart() throws IOException {
    Files.createDirectories(folder.resolve("s"));
    StoreFixture.put(folder, "x.pdb", USER32.bytes());
    PdbSearch.Result result = search(naming("../x.pdb"), List.of(folder.resolve("s")), "");
    assertEquals(Optional.empty(), result.pdb());
    assertEquals(folder.resolve("s/x.pdb") + " not found", result.tried().getFirst().why());
  }
}
