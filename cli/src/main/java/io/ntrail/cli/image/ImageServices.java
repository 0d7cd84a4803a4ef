package io.ntrail.cli.image;

import io.ntrail.cli.common.Listing;
import io.ntrail.cli.common.Listing.Cell;
import io.ntrail.cli.common.Listing.Column;
import io.ntrail.cli.text.Json;
import io.ntrail.cli.text.Numbers;
import io.ntrail.formats.pe.PeImage;
import io.ntrail.programs.services.SystemService;
import io.ntrail.programs.services.SystemServices;
import java.io.PrintStream;
import java.util.List;
import java.util.function.Consumer;

/** {@code image --services}: system services with their numbers, name hashes and routines. */
final class ImageServices {
  private final SystemServices services;

  private ImageServices(PeImage image) {
    this.services = SystemServices.of(image);
  }

  static ImagePart of(PeImage image) {
    ImageServices part = new ImageServices(image);
    Listing listing =
        new Listing(
            "services",
            List.of(
                Column.number("index", "number"),
                Column.number("hash", "name hash"),
                Column.number("arguments", "arguments"),
                Column.number("rva", "rva"),
                Column.name("name", "name")),
            part::rows);
    return new ImagePart(
        listing,
        (out, limit, width) -> part.print(out, listing, limit, width),
        json -> part.json(json, listing));
  }

  private void rows(Consumer<List<Cell>> sink) {
    for (SystemService service : services.list()) {
      sink.accept(
          List.of(
              new Cell.HexCount(service.index()),
              service.hash().isPresent()
                  ? new Cell.Hex(Integer.toUnsignedLong(service.hash().getAsInt()))
                  : Cell.UNKNOWN,
              service.arguments().isPresent()
                  ? new Cell.Count(service.arguments().getAsInt())
                  : Cell.UNKNOWN,
              new Cell.Hex(service.rva()),
              new Cell.Text(service.name())));
    }
  }

  private void print(PrintStream out, Listing listing, long limit, int width) {
    long rows = listing.table(out, limit, width);
    String found =
        switch (services.source()) {
          case NONE ->
              "no system services: it has neither stubs that enter the kernel nor a KiServicesTab";
          case STUBS -> Numbers.counted(rows, "system service") + ", by the stubs that it exports";
          case SERVICES_TAB ->
              Numbers.counted(rows, "system service")
                  + " in KiServicesTab, "
                  + Numbers.count(services.named())
                  + " of them known by their hash";
        };
    out.println(found);
  }

  private void json(Json json, Listing listing) {
    json.text(
        "servicesSource",
        switch (services.source()) {
          case NONE -> null;
          case STUBS -> "stubs";
          case SERVICES_TAB -> "KiServicesTab";
        });
    listing.json(json);
  }
}
