package io.ntrail.programs.symbols.http;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.ntrail.programs.symbols.StoreFixture;
import io.ntrail.testkit.web.SymbolStoreServer;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import java.time.InstantSource;
import java.util.List;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIf;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Servers may send on to others, but not anywhere, and not with what is secret. */
@EnabledIf("io.ntrail.testkit.pdb.PdbSamples#present")
class HttpRedirectTest {
  private static final StoreFixture CRASH = StoreFixture.crash();
  private static final String PLACE = "/" + CRASH.place();
  private static final char[] PASSWORD = "changeit".toCharArray();

  @TempDir private Path folder;

  private final SymbolStoreServer server = new SymbolStoreServer();
  private final SymbolStoreServer other = new SymbolStoreServer();

  @AfterEach
  void stop() {
    server.close();
    other.close();
  }

  private Fetching fetching() {
    return new Fetching(folder, CRASH, Fetching.PATIENT);
  }

  private static SymbolStoreServer.Reply to(int status, String location) {
    return SymbolStoreServer.status(status, "Location", location);
  }

  @ParameterizedTest
  @ValueSource(ints = {301, 302, 303, 307, 308})
  void aServerMaySendOnToAnother(int status) throws IOException {
    server.on(PLACE, to(status, other.root() + "/blob/1?key=x"));
    other.has("/blob/1", CRASH.bytes());
    try (Fetching fetching = fetching()) {
      fetching.finds(server.root());
    }
  }

  @Test
  void aPlaceMayBeNamedWithoutTheServer() throws IOException {
    server.on(PLACE, to(302, "/blob 1")).has("/blob%201", CRASH.bytes());
    try (Fetching fetching = fetching()) {
      fetching.finds(server.root());
    }
  }

  @Test
  void credentialsGoToTheNamedServerOnly() throws IOException {
    URI secret = URI.create(server.root().toString().replace("//", "//me:pass@"));
    server.on(PLACE, to(302, "/again")).on("/again", to(302, other.root() + "/blob"));
    other.has("/blob", CRASH.bytes());
    try (Fetching fetching = fetching()) {
      fetching.finds(secret);
    }
    assertEquals(
        List.of("Basic bWU6cGFzcw==", "Basic bWU6cGFzcw=="),
        server.asked().stream().map(asked -> asked.header("authorization")).toList());
    assertEquals("", other.asked().getFirst().header("authorization"));
  }

  @Test
  void aNameAndPasswordInARedirectionAreNotUsed() throws IOException {
    server.on(PLACE, to(302, other.root().toString().replace("//", "//you:word@") + "/blob"));
    other.has("/blob", CRASH.bytes());
    try (Fetching fetching = fetching()) {
      fetching.finds(server.root());
    }
    assertEquals("", other.asked().getFirst().header("authorization"));
  }

  @Test
  void aCircleEnds() {
    server.on(PLACE, to(302, "/a")).on("/a", to(302, "/b")).on("/b", to(302, "/a"));
    try (Fetching fetching = fetching()) {
      String why = fetching.misses(server.root());
      assertTrue(why.contains("redirects too often"), why);
    }
    assertEquals(1, server.asked("/b"));
  }

  @Test
  void aWayWithoutEndEnds() {
    int[] next = {0};
    server.otherwise(exchange -> to(302, "/" + ++next[0]).to(exchange));
    try (Fetching fetching = fetching()) {
      String why = fetching.misses(server.root());
      assertTrue(why.contains("redirects too often"), why);
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"file:///etc/passwd", "ftp://127.0.0.1/x", "jar:file:/x!/y", "http://", "%zz", ""})
  void anywhereElseIsRefused(String location) throws IOException {
    server.otherwise(to(302, location));
    try (Fetching fetching = fetching()) {
      String why = fetching.misses(server.root());
      assertTrue(why.contains("redirects to an invalid URL"), why);
      assertEquals(List.of(), fetching.left());
    }
  }

  /** TLS with a key that was made for this test, which the client trusts. */
  private SSLContext tls() throws Exception {
    Path store = folder.resolve("keys.p12");
    Process made =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "keytool").toString(),
                "-genkeypair",
                "-keyalg",
                "EC",
                "-alias",
                "test",
                "-dname",
                "CN=test",
                "-ext",
                "san=ip:127.0.0.1",
                "-keystore",
                store.toString(),
                "-storepass",
                new String(PASSWORD))
            .redirectErrorStream(true)
            .redirectOutput(folder.resolve("keytool.txt").toFile())
            .start();
    assertEquals(0, made.waitFor());
    KeyStore keys = KeyStore.getInstance("PKCS12");
    try (InputStream in = Files.newInputStream(store)) {
      keys.load(in, PASSWORD);
    }
    KeyManagerFactory own = KeyManagerFactory.getInstance("PKIX");
    own.init(keys, PASSWORD);
    TrustManagerFactory trusted = TrustManagerFactory.getInstance("PKIX");
    trusted.init(keys);
    SSLContext context = SSLContext.getInstance("TLS");
    context.init(own.getKeyManagers(), trusted.getTrustManagers(), null);
    return context;
  }

  @Test
  void fromASafeServerItGoesToSafeOnesOnly() throws Exception {
    SSLContext tls = tls();
    try (SymbolStoreServer safe = new SymbolStoreServer(tls);
        Fetching fetching =
            new Fetching(
                folder,
                CRASH,
                Fetching.PATIENT,
                InstantSource.fixed(Fetching.NOW),
                builder -> builder.sslContext(tls))) {
      safe.on(PLACE, to(302, other.root() + "/blob"));
      other.has("/blob", CRASH.bytes());
      String why = fetching.misses(safe.root());
      assertTrue(why.contains("redirects from https to http"), why);
      assertEquals(List.of(), other.asked());
      server.on(PLACE, to(302, safe.root() + "/blob"));
      safe.has("/blob", CRASH.bytes());
      fetching.finds(server.root());
    }
  }

  @Test
  void aServerWithAnUnknownKeyIsNotTrusted() throws Exception {
    try (SymbolStoreServer safe = new SymbolStoreServer(tls());
        Fetching fetching = fetching()) {
      safe.has(PLACE, CRASH.bytes());
      String why = fetching.misses(safe.root());
      assertTrue(why.contains("failed the TLS handshake"), why);
    }
  }
}
