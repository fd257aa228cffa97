ct_folder(contact contact/bins.c contact/bodies.c contact/book.c contact/closest.c contact/clouds.c contact/contact.c contact/law.c contact/literal.c contact/measure.c contact/near.c contact/pages.c
  contact/share.c contact/solver.c contact/stencils.c)
