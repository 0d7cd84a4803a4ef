package io.ntrail.programs.symbols;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.ntrail.formats.bytes.InputFile;
import io.ntrail.formats.identity.ImageId;
import io.ntrail.formats.pe.PeHeaders;
import io.ntrail.formats.pe.PeImage;
import io.ntrail.programs.symbols.SymbolPath.Host;
import io.ntrail.programs.symbols.http.FetchLimits;
import io.ntrail.programs.symbols.http.FetchListener;
import io.ntrail.programs.symbols.http.HttpStoreClient;
import io.ntrail.testkit.pdb.PdbSamples;
import io.ntrail.testkit.web.SymbolStoreServer;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIf;
import org.junit.jupiter.api.io.TempDir;

/** Images are found in the same places as PDBs, by time stamp and size. */
@EnabledIf("io.ntrail.testkit.pdb.PdbSamples#present")
class ImagesOfStoresTest {
  private static final byte[] USER32 = PdbSamples.bytes("win7/user32.dll");

  /** The table of other people's tools has these two numbers. */
  private static final ImageId ID = new ImageId(0x4A5BE088L, 0xFA000);

  private static final String PLACE = "user32.dll/4A5BE088fa000/user32.dll";

  @TempDir private Path folder;

  private ImageFileRequest sought(ImageId id) {
    StoreKey key = StoreKey.image("C:\\Windows\\System32\\user32.dll", id).orElseThrow();
    return new ImageFileRequest(key, id, List.of("dll"));
  }

  private SymbolStores.Result<OpenImage> search(String path, ImageId id, StoreClient fetch) {
    Host host = new Host(false, Map.of("T", folder.toString())::get, folder.resolve("home"));
    SymbolStores.Result<OpenImage> result =
        SymbolStores.of(SymbolPath.parse(path, host), host, fetch).find(sought(id));
    result.found().ifPresent(OpenImage::close);
    return result;
  }

  @Test
  void theSampleHasTheNumbersOfItsKey() {
    try (InputFile input = InputFile.of(USER32, "user32.dll")) {
      PeHeaders headers = PeImage.ofFile(input).headers();
      assertEquals(ID, new ImageId(headers.timestamp(), headers.sizeOfImage()));
    }
  }

  @Test
  void aServerGivesAnImageByTimeStampAndSize() throws IOException {
    try (SymbolStoreServer server = new SymbolStoreServer().has("/" + PLACE, USER32);
        HttpStoreClient fetch = new HttpStoreClient(FetchLimits.USUAL, FetchListener.NONE)) {
      SymbolStores.Result<OpenImage> result = search("srv*%T%/s*" + server.root(), ID, fetch);
      assertEquals(
          Optional.of(folder.resolve("s").resolve(PLACE)), result.found().map(OpenImage::path));
      assertEquals(List.of(PLACE), StoreFixture.files(folder.resolve("s")));
    }
  }

  @Test
  void anImageOfAnotherBuildIsRefused() throws IOException {
    ImageId other = new ImageId(0x4A5BE089L, 0xFA000);
    try (SymbolStoreServer server =
            new SymbolStoreServer().has("/" + PLACE.replace("088", "089"), USER32);
        HttpStoreClient fetch = new HttpStoreClient(FetchLimits.USUAL, FetchListener.NONE)) {
      SymbolStores.Result<OpenImage> result = search("srv*%T%/s*" + server.root(), other, fetch);
      assertEquals(Optional.empty(), result.found());
      String why = result.tried().getLast().why();
      assertTrue(why.contains("is a different build (4A5BE088fa000, not 4A5BE089fa000)"), why);
    }
  }

  @Test
  void aFolderMayHaveItByItsName() throws IOException {
    Files.createDirectories(folder.resolve("f/dll"));
    Files.write(folder.resolve("f/dll/user32.dll"), USER32);
    SymbolStores.Result<OpenImage> result =
        search("%T%/f", ID, (_, _, _) -> new StoreClient.Answer.Missing(false, "no server"));
    assertEquals(
        Optional.of(folder.resolve("f/dll/user32.dll")), result.found().map(OpenImage::path));
  }

  @Test
  void theEnvironmentHasTheImagePath() {
    Host host = new Host(false, Map.of("_NT_EXECUTABLE_IMAGE_PATH", "/a;srv*/b")::get, folder);
    assertEquals(
        List.of(
            new SymbolPath.Folder(Path.of("/a")),
            new SymbolPath.Chain(List.of(new SymbolPath.Store.Local(Path.of("/b"))))),
        SymbolPath.ofImages(host).elements());
  }
}
