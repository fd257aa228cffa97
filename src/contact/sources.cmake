ct_folder(contact contact/bins.c contact/bodies.c contact/book.c contact/clouds.c contact/contact.c contact/law.c contact/measure.c contact/pages.c contact/share.c
  contact/solver.c)
