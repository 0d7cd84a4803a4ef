package io.ntrail.programs.symbols;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.code_intelligence.jazzer.junit.FuzzTest;
import io.ntrail.formats.bytes.CannotGoOn;
import io.ntrail.programs.symbols.SymbolPath.Cache;
import io.ntrail.programs.symbols.SymbolPath.Chain;
import io.ntrail.programs.symbols.SymbolPath.Element;
import io.ntrail.programs.symbols.SymbolPath.Folder;
import io.ntrail.programs.symbols.SymbolPath.Host;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Any text as a symbol path, as a pointer and as the name of a file: read or refused in words. */
class SymbolPathFuzzTest {
  private static final Map<String, String> VARIABLES = Map.of("A", "/a;srv*/b", "B", "%A%");

  @FuzzTest(maxDuration = "60s")
  void anyTextMayBeASymbolPath(byte[] data) {
    String text = new String(data, StandardCharsets.UTF_8);
    for (boolean windows : new boolean[] {false, true}) {
      SymbolPath path =
          SymbolPath.parse(text, new Host(windows, VARIABLES::get, Path.of("/home/me")));
      for (String problem : path.problems()) {
        assertFalse(problem.isBlank() || problem.chars().anyMatch(Character::isISOControl));
      }
      assertTrue(path.elements().size() + path.problems().size() <= 2 * text.length() + 1);
      path.elements().forEach(SymbolPathFuzzTest::isWhole);
    }
  }

  private static void isWhole(Element element) {
    switch (element) {
      case Cache(SymbolPath.Store.Local(Path folder)) -> assertFalse(folder.toString().isEmpty());
      case Folder(Path folder) -> assertFalse(folder.toString().isEmpty());
      case Chain(List<SymbolPath.Store> stores) ->
          assertEquals(stores.stream().distinct().toList(), stores);
    }
  }

  @FuzzTest(maxDuration = "60s")
  void anyBytesMayBeAPointer(byte[] data) {
    Path file = Path.of("/s/a.pdb/1/file.ptr");
    for (boolean windows : new boolean[] {false, true}) {
      switch (PointerFile.of(data, file, windows)) {
        case PointerFile.Elsewhere(Path elsewhere) -> assertTrue(elsewhere.isAbsolute());
        case PointerFile.Withdrawn(String message) ->
            assertTrue(message.chars().noneMatch(Character::isISOControl));
        case PointerFile.Unusable(String why) ->
            assertFalse(why.isBlank() || why.chars().anyMatch(Character::isISOControl));
      }
    }
  }

  @FuzzTest(maxDuration = "60s")
  void anyBytesMayBeAManifest(byte[] data) {
    try {
      SymbolManifest manifest = SymbolManifest.read(data, "list");
      byte[] text = manifest.text().getBytes(StandardCharsets.UTF_8);
      assertEquals(manifest, SymbolManifest.read(text, "list"));
      for (StoreKey key : manifest.keys()) {
        assertFalse(SymbolManifest.pdb(key).isPresent() && SymbolManifest.image(key).isPresent());
      }
    } catch (CannotGoOn e) {
      assertFalse(e.message().isBlank());
    }
  }

  @FuzzTest(maxDuration = "60s")
  void noNameLeadsOutOfAStore(byte[] data) {
    Optional<StoreKey> key = StoreKey.pdb2(new String(data, StandardCharsets.UTF_8), 1, 1);
    if (key.isPresent()) {
      String name = key.get().name();
      Path root = Path.of("/not/there");
      Path place = new LocalStore(root, false).folder(key.get());
      assertEquals(place, place.normalize());
      assertEquals(root.resolve(name).resolve("000000011"), place);
      String prefix = LocalStore.prefix(name);
      assertTrue(name.startsWith(prefix) && !prefix.isEmpty() && !"..".equals(prefix));
      assertFalse(SafeFileName.packed(name).isEmpty());
      assertFalse(key.get().names().isEmpty());
    }
  }
}
