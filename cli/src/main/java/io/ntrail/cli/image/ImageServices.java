package io.ntrail.cli.image;

import io.ntrail.cli.common.Listing;
import io.ntrail.cli.common.ListingColumns;
import io.ntrail.cli.text.CellWriter;
import io.ntrail.cli.text.Json;
import io.ntrail.cli.text.Numbers;
import io.ntrail.formats.pe.PeImage;
import io.ntrail.programs.services.SystemService;
import io.ntrail.programs.services.SystemServices;
import java.io.PrintStream;

/** {@code image --services}: system services with their numbers, name hashes and routines. */
final class ImageServices {
  private final SystemServices services;

  private ImageServices(PeImage image) {
    this.services = SystemServices.of(image);
  }

  static ImagePart of(PeImage image) {
    ImageServices part = new ImageServices(image);
    ListingColumns<SystemService> columns =
        new ListingColumns<SystemService>()
            .value("index", (service, cell) -> cell.hexCount(service.index()))
            .titled("number")
            .right()
            .value("hash", ImageServices::hash)
            .titled("name hash")
            .right()
            .knownCount("arguments", service -> service.arguments().orElse(-1))
            .titled()
            .hex("rva", SystemService::rva)
            .titled()
            .text("name", SystemService::name)
            .titled();
    Listing<SystemService> listing =
        new Listing<>("services", columns, part.services.list()::forEach);
    return new ImagePart(
        listing,
        (out, limit, width) -> part.print(out, listing, limit, width),
        json -> part.json(json, listing));
  }

  private static void hash(SystemService service, CellWriter cell) {
    if (service.hash().isPresent()) {
      cell.hex(Integer.toUnsignedLong(service.hash().getAsInt()));
    } else {
      cell.unknown();
    }
  }

  private void print(PrintStream out, Listing<?> listing, long limit, int width) {
    long rows = listing.table(out, limit, width);
    String found =
        switch (services.source()) {
          case NONE -> "no system services: no system call stubs and no KiServicesTab";
          case STUBS ->
              Numbers.counted(rows, "system service") + ", from exported system call stubs";
          case SERVICES_TAB ->
              Numbers.counted(rows, "system service")
                  + " in KiServicesTab, "
                  + Numbers.count(services.named())
                  + " of them identified by name hash";
        };
    out.println(found);
  }

  private void json(Json json, Listing<?> listing) {
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
