package io.ntrail.testkit.web;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/**
 * A server of the loopback interface that sends whatever bytes it is told to: what a good server
 * cannot do. One request a connection.
 */
public final class RawServer implements AutoCloseable {
  /** Sends the answer to a request. */
  @FunctionalInterface
  public interface Script {
    /**
     * Answers a request; the connection is closed afterwards.
     *
     * @param head the lines of the request
     * @param number of the request, from 0
     */
    void answer(List<String> head, int number, Connection connection) throws IOException;
  }

  /** The other end. */
  public static final class Connection {
    private final Socket socket;
    private final OutputStream out;

    private Connection(Socket socket) throws IOException {
      this.socket = socket;
      this.out = socket.getOutputStream();
    }

    /** Sends a status and headers: {@code 200 OK}, {@code Content-Length: 5}. */
    public Connection head(String... lines) throws IOException {
      return send(
          ("HTTP/1.1 " + String.join("\r\n", lines) + "\r\n\r\n")
              .getBytes(StandardCharsets.US_ASCII));
    }

    /** Sends bytes. */
    public Connection send(byte[] bytes) throws IOException {
      out.write(bytes);
      out.flush();
      return this;
    }

    /** Waits until who asked goes away. */
    public void untilClosed() throws IOException {
      while (socket.getInputStream().read() >= 0) {
        // Nothing is said any more.
      }
    }
  }

  private final ServerSocket socket;
  private final Script script;
  private final List<List<String>> asked = new CopyOnWriteArrayList<>();
  private final List<Socket> open = new CopyOnWriteArrayList<>();

  /** Begins to answer. */
  public RawServer(Script script) {
    this.script = script;
    try {
      socket = new ServerSocket(0, 0, InetAddress.getLoopbackAddress());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    Thread.ofPlatform().daemon().start(this::run);
  }

  private void run() {
    try {
      while (true) {
        Socket connection = socket.accept();
        open.add(connection);
        Thread.ofPlatform().daemon().start(() -> talk(connection));
      }
    } catch (IOException e) {
      // Closed.
    }
  }

  private void talk(Socket connection) {
    try (connection) {
      BufferedReader in =
          new BufferedReader(
              new InputStreamReader(connection.getInputStream(), StandardCharsets.US_ASCII));
      List<String> head = new ArrayList<>();
      for (String line = in.readLine(); line != null && !line.isEmpty(); line = in.readLine()) {
        head.add(line);
      }
      int number;
      synchronized (asked) {
        number = asked.size();
        asked.add(head);
      }
      script.answer(head, number, new Connection(connection));
    } catch (IOException e) {
      // Who asked went away.
    }
  }

  /** The heads of all requests so far. */
  public List<List<String>> asked() {
    return List.copyOf(asked);
  }

  /** Returns its URL. */
  public URI root() {
    return URI.create("http://127.0.0.1:" + socket.getLocalPort());
  }

  @Override
  public void close() {
    try {
      socket.close();
      for (Socket connection : open) {
        connection.close();
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
